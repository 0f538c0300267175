//! A markdown document as a flat list of the parts that plans are made of, each with its line. Quotes, HTML and code blocks that are not
//! commands are text for people and appear in no part.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::finding::LineStarts;

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Heading {
        level: u8,
        line: usize,
        text: Inline,
    },
    Paragraph {
        line: usize,
        text: Inline,
    },
    Item {
        line: usize,
        /// Number of items that it is in, itself included.
        depth: usize,
        /// Box of the item, if it has one.
        tick: Option<Tick>,
        text: Inline,
    },
    Table {
        line: usize,
        head: Vec<Inline>,
        rows: Vec<Row>,
    },
    /// A code block in the language of a shell.
    Commands {
        line: usize,
        text: String,
    },
}

/// Languages of code blocks that hold commands.
const SHELLS: [&str; 9] = [
    "sh",
    "bash",
    "zsh",
    "shell",
    "console",
    "terminal",
    "shell-session",
    "powershell",
    "ps1",
];

/// A box to tick: its state, and the place of its brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tick {
    pub(super) is_done: bool,
    pub(super) at: Range<usize>,
}

/// A row of a table below its head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) cells: Vec<Inline>,
    /// Place of each cell, with the blanks around its text.
    pub(super) places: Vec<Range<usize>>,
}

/// The text of a part, in pieces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Inline(pub(super) Vec<Piece>);

/// A piece of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) is_code: bool,
    pub(super) is_bold: bool,
    /// Target of the piece, if it is a link.
    pub(super) link: Option<String>,
}

impl Inline {
    /// Returns the whole text without marks; lines are kept.
    pub(super) fn plain(&self) -> String {
        let texts = self.0.iter().map(|piece| piece.text.as_str());
        texts.collect::<String>().trim().to_owned()
    }

    /// Returns the pieces between backticks.
    pub(super) fn codes(&self) -> impl Iterator<Item = &str> {
        let codes = self.0.iter().filter(|piece| piece.is_code);
        codes.map(|piece| piece.text.as_str())
    }

    /// Returns the target of its first link.
    pub(super) fn link(&self) -> Option<&str> {
        self.0.iter().find_map(|piece| piece.link.as_deref())
    }

    /// Returns true if all of it is bold.
    pub(super) fn is_bold(&self) -> bool {
        let mut shown = self.0.iter().filter(|piece| !piece.text.trim().is_empty());
        shown.clone().next().is_some() && shown.all(|piece| piece.is_bold)
    }

    fn push(&mut self, piece: Piece) {
        if let Some(last) = self.0.last_mut()
            && !(piece.is_code || last.is_code)
            && (last.is_bold, &last.link) == (piece.is_bold, &piece.link)
        {
            last.text.push_str(&piece.text);
        } else {
            self.0.push(piece);
        }
    }
}

/// Returns the parts of a text, in their order.
pub(super) fn parts(text: &str) -> Vec<Part> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut reader = Reader::new(LineStarts::of(text));
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        reader.take(event, range);
    }
    reader.parts
}

/// Destination of the text that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Heading(u8),
    Paragraph,
    Item,
    Cell,
}

struct Reader {
    lines: LineStarts,
    parts: Vec<Part>,
    /// Part that the text at hand belongs to, and its line.
    target: Option<(Target, usize)>,
    text: Inline,
    tick: Option<Tick>,
    /// Number of items that are open.
    depth: usize,
    n_bold: usize,
    link: Option<String>,
    /// The code block at hand with commands, and its line.
    commands: Option<(usize, String)>,
    /// Depth of nesting in parts that are not read.
    hidden: usize,
    table: Option<(usize, Vec<Inline>, Vec<Row>)>,
    row: Vec<Inline>,
    places: Vec<Range<usize>>,
}

impl Reader {
    fn new(lines: LineStarts) -> Reader {
        Reader {
            lines,
            parts: Vec::new(),
            target: None,
            text: Inline::default(),
            tick: None,
            depth: 0,
            n_bold: 0,
            link: None,
            commands: None,
            hidden: 0,
            table: None,
            row: Vec::new(),
            places: Vec::new(),
        }
    }

    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        let at = range.start;
        match event {
            Event::Start(Tag::TableCell) => {
                self.begin(Target::Cell, at);
                self.places.push(range);
            }
            Event::Start(tag) => {
                if let Tag::CodeBlock(CodeBlockKind::Fenced(language)) = &tag
                    && SHELLS.contains(&language.trim().to_lowercase().as_str())
                {
                    self.commands = Some((self.lines.line_of(at), String::new()));
                }
                self.start(tag, at);
            }
            Event::End(TagEnd::TableRow) => {
                // Cells that a short row lacks are reported as if they were behind it.
                self.places.retain(|place| place.start < range.end);
                self.end(TagEnd::TableRow, at);
            }
            Event::End(tag) => self.end(tag, at),
            Event::Text(text) => match &mut self.commands {
                Some((_, commands)) => commands.push_str(&text),
                None => self.write(&text, false),
            },
            Event::Code(text) => self.write(&text, true),
            Event::SoftBreak | Event::HardBreak => self.write("\n", false),
            Event::TaskListMarker(is_done) => self.tick = Some(Tick { is_done, at: range }),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, at: usize) {
        match tag {
            Tag::CodeBlock(_)
            | Tag::BlockQuote(_)
            | Tag::HtmlBlock
            | Tag::MetadataBlock(_)
            | Tag::Image { .. } => {
                self.finish();
                self.hidden += 1;
            }
            Tag::Heading { level, .. } => self.begin(Target::Heading(depth(level)), at),
            Tag::Item => {
                self.begin(Target::Item, at);
                self.depth += 1;
            }
            // The first paragraph of an item is its text.
            Tag::Paragraph if matches!(self.target, Some((Target::Item, _))) && self.text.0.is_empty() => {}
            Tag::Paragraph => self.begin(Target::Paragraph, at),
            Tag::List(_) => self.finish(),
            Tag::Table(_) => {
                self.finish();
                self.table = Some((self.lines.line_of(at), Vec::new(), Vec::new()));
            }
            Tag::Strong => self.n_bold += 1,
            Tag::Link { dest_url, .. } => self.link = Some(dest_url.into_string()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, at: usize) {
        match tag {
            TagEnd::CodeBlock => {
                self.hidden = self.hidden.saturating_sub(1);
                let commands = self.commands.take();
                self.parts
                    .extend(commands.map(|(line, text)| Part::Commands { line, text }));
            }
            TagEnd::BlockQuote(_) | TagEnd::HtmlBlock | TagEnd::MetadataBlock(_) | TagEnd::Image => {
                self.hidden = self.hidden.saturating_sub(1);
            }
            TagEnd::Item => {
                self.finish();
                self.depth = self.depth.saturating_sub(1);
            }
            TagEnd::Heading(_) | TagEnd::Paragraph => self.finish(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.text);
                self.target = None;
                self.row.push(cell);
            }
            TagEnd::TableHead => {
                if let Some((_, head, _)) = &mut self.table {
                    *head = std::mem::take(&mut self.row);
                    self.places.clear();
                }
            }
            TagEnd::TableRow => {
                let cells = std::mem::take(&mut self.row);
                let places = std::mem::take(&mut self.places);
                let line = self.lines.line_of(at);
                if let Some((_, _, rows)) = &mut self.table {
                    rows.push(Row { line, cells, places });
                }
            }
            TagEnd::Table => {
                if let Some((line, head, rows)) = self.table.take() {
                    self.parts.push(Part::Table { line, head, rows });
                }
            }
            TagEnd::Strong => self.n_bold = self.n_bold.saturating_sub(1),
            TagEnd::Link => self.link = None,
            _ => {}
        }
    }

    fn begin(&mut self, target: Target, at: usize) {
        self.finish();
        self.target = Some((target, self.lines.line_of(at)));
    }

    fn write(&mut self, text: &str, is_code: bool) {
        if self.hidden == 0 && self.target.is_some() {
            self.text.push(Piece {
                text: text.to_owned(),
                is_code,
                is_bold: self.n_bold > 0,
                link: self.link.clone(),
            });
        }
    }

    /// Ends the part at hand. Later content of the same item, such as a list below it, is not part of its text.
    fn finish(&mut self) {
        let text = std::mem::take(&mut self.text);
        let tick = self.tick.take();
        let Some((target, line)) = self.target.take() else {
            return;
        };
        self.parts.push(match target {
            Target::Heading(level) => Part::Heading { level, line, text },
            Target::Item => Part::Item {
                line,
                depth: self.depth,
                tick,
                text,
            },
            Target::Paragraph | Target::Cell => Part::Paragraph { line, text },
        });
    }
}

fn depth(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
