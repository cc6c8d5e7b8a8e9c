"""Prints what TensorBoard reads in a folder of event files, as JSON."""

import json
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util import tensor_util


def main() -> None:
    events = EventAccumulator(sys.argv[1], size_guidance={"tensors": 0, "histograms": 0})
    events.Reload()
    tags = events.Tags()
    scalars = {
        tag: [[event.step, event.value] for event in events.Scalars(tag)] for tag in tags["scalars"]
    }
    histograms = {
        tag: [
            {
                "step": event.step,
                "num": event.histogram_value.num,
                "min": event.histogram_value.min,
                "max": event.histogram_value.max,
                "limits": list(event.histogram_value.bucket_limit),
                "counts": list(event.histogram_value.bucket),
            }
            for event in events.Histograms(tag)
        ]
        for tag in tags["histograms"]
    }
    text = {
        tag: tensor_util.make_ndarray(events.Tensors(tag)[0].tensor_proto).item().decode()
        for tag in tags["tensors"]
        if events.SummaryMetadata(tag).plugin_data.plugin_name == "text"
    }
    json.dump({"scalars": scalars, "histograms": histograms, "text": text}, sys.stdout)


if __name__ == "__main__":
    main()
