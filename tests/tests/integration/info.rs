//! `info` lines, read strictly: an unknown word is an error of the engine.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    Cp(i32),
    Mate(i32),
}

#[derive(Clone, Debug)]
pub struct Info {
    pub depth: u32,
    pub seldepth: u32,
    pub multipv: Option<u32>,
    pub score: Score,
    pub wdl: Option<[u32; 3]>,
    pub nodes: u64,
    pub hashfull: u32,
    pub tbhits: u64,
    pub time: u64,
    pub pv: Vec<String>,
}

impl Info {
    /// `None` for lines that are not scored infos.
    pub fn parse(line: &str) -> Option<Info> {
        let mut words = line.strip_prefix("info ")?.split(' ').peekable();
        if words.peek() == Some(&"string") {
            return None;
        }
        let (mut depth, mut seldepth, mut nodes, mut hashfull) = (None, None, None, None);
        let (mut tbhits, mut time, mut score, mut nps) = (None, None, None, None);
        let (mut multipv, mut wdl, mut pv) = (None, None, Vec::new());
        while let Some(word) = words.next() {
            let mut number = || -> i64 {
                let text = words.next().unwrap_or_else(|| panic!("{word} without value: {line}"));
                text.parse().unwrap_or_else(|_| panic!("{word} {text}: {line}"))
            };
            match word {
                "depth" => depth = Some(number() as u32),
                "seldepth" => seldepth = Some(number() as u32),
                "multipv" => multipv = Some(number() as u32),
                "nodes" => nodes = Some(number() as u64),
                "nps" => nps = Some(number() as u64),
                "hashfull" => hashfull = Some(number() as u32),
                "tbhits" => tbhits = Some(number() as u64),
                "time" => time = Some(number() as u64),
                "wdl" => wdl = Some([number() as u32, number() as u32, number() as u32]),
                "pv" => pv = words.by_ref().map(str::to_string).collect(),
                "score" => {
                    let kind = words.next();
                    let value = words.next().and_then(|text| text.parse().ok());
                    score = match (kind, value) {
                        (Some("cp"), Some(cp)) => Some(Score::Cp(cp)),
                        (Some("mate"), Some(moves)) => Some(Score::Mate(moves)),
                        _ => panic!("score: {line}"),
                    };
                }
                _ => panic!("unknown word {word}: {line}"),
            }
        }
        let missing = || panic!("incomplete: {line}");
        nps.unwrap_or_else(missing);
        Some(Info {
            depth: depth.unwrap_or_else(|| panic!("no depth: {line}")),
            seldepth: seldepth.unwrap_or_else(|| panic!("no seldepth: {line}")),
            multipv,
            score: score.unwrap_or_else(|| panic!("no score: {line}")),
            wdl,
            nodes: nodes.unwrap_or_else(missing),
            hashfull: hashfull.unwrap_or_else(|| panic!("no hashfull: {line}")),
            tbhits: tbhits.unwrap_or_else(missing),
            time: time.unwrap_or_else(missing),
            pv,
        })
    }

    /// All scored lines.
    pub fn all(lines: &[String]) -> Vec<Info> {
        lines.iter().filter_map(|line| Info::parse(line)).collect()
    }

    /// The last word on the best line.
    pub fn last(lines: &[String]) -> Info {
        let infos = Info::all(lines);
        let best = infos.into_iter().rfind(|info| info.multipv.is_none_or(|n| n == 1));
        best.unwrap_or_else(|| panic!("no scored line in {lines:#?}"))
    }
}
