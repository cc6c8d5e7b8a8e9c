//! A page that needs no server: text, tables and plots in one HTML file.

/// Grows from top to bottom.
#[derive(Default)]
pub struct Page {
    body: String,
}

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:1180px;margin:2em auto;\
                     padding:0 1em;color:#222}table{border-collapse:collapse;margin:1em 0}\
                     td,th{border:1px solid #ccc;padding:.2em .6em;text-align:right}\
                     td:first-child,th:first-child{text-align:left}\
                     .plots{display:flex;flex-wrap:wrap;gap:1em}.plots svg{max-width:100%}";

pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

impl Page {
    pub fn heading(&mut self, text: &str) {
        self.body += &format!("<h2>{}</h2>\n", escape(text));
    }

    pub fn paragraph(&mut self, text: &str) {
        self.body += &format!("<p>{}</p>\n", escape(text));
    }

    pub fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        let cells = |tag: &str, cells: &mut dyn Iterator<Item = &str>| -> String {
            cells.map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect()
        };
        self.body += &format!("<table><tr>{}</tr>\n", cells("th", &mut head.iter().copied()));
        for row in rows {
            let row = cells("td", &mut row.iter().map(String::as_str));
            self.body += &format!("<tr>{row}</tr>\n");
        }
        self.body += "</table>\n";
    }

    /// Plots side by side; empty ones are left out.
    pub fn plots(&mut self, plots: &[String]) {
        self.body += "<div class=\"plots\">\n";
        for plot in plots.iter().filter(|plot| !plot.is_empty()) {
            self.body += &format!("<div>{plot}</div>\n");
        }
        self.body += "</div>\n";
    }

    pub fn html(&self, title: &str) -> String {
        let title = escape(title);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
             <style>{STYLE}</style></head>\n<body><h1>{title}</h1>\n{}</body></html>\n",
            self.body
        )
    }
}
