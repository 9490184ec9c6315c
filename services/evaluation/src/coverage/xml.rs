//! JaCoCo's and Cobertura's XML. It is read as it comes, since reports of large applications are large.

use super::{Coverage, Flaw, KNOWN, WRITE_WHOLE};
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

/// Which tool wrote the report.
#[derive(Clone, Copy, PartialEq)]
enum Tool {
    JaCoCo,
    Cobertura,
}

#[derive(Default)]
struct ReportReader {
    coverage: Coverage,
    tool: Option<Tool>,
    /// Names of JaCoCo's groups and package around the place.
    folders: Vec<String>,
    file: Option<String>,
    /// Whether there was anything that can hold lines.
    is_report: bool,
}

pub(super) fn read(text: &str) -> Result<Coverage, Flaw> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut reading = ReportReader::default();
    let mut depth = 0_usize;
    loop {
        let event = reader.read_event();
        let line = |place: u64| {
            1 + text.as_bytes()[..text.len().min(place as usize)].iter().filter(|byte| **byte == b'\n').count()
        };
        match event {
            Ok(Event::Start(tag)) => {
                depth += 1;
                reading.open(&tag).map_err(|flaw| flaw.at(line(reader.buffer_position())))?;
            }
            Ok(Event::End(tag)) => {
                depth -= 1;
                reading.close(tag.name().as_ref());
            }
            Ok(Event::Eof) if depth > 0 || reading.tool.is_none() => {
                return Err(Flaw::new("it ends too early", WRITE_WHOLE).at(line(text.len() as u64)));
            }
            Ok(Event::Eof) if !reading.is_report => return Err(Flaw::new("it holds no packages", KNOWN)),
            Ok(Event::Eof) => return Ok(reading.coverage),
            Ok(_) => {}
            Err(error) => return Err(Flaw::new(error.to_string(), WRITE_WHOLE).at(line(reader.error_position()))),
        }
    }
}

impl ReportReader {
    fn open(&mut self, tag: &BytesStart<'_>) -> Result<(), Flaw> {
        let name = tag.name();
        let Some(tool) = self.tool else {
            self.tool = match name.as_ref() {
                "report" => Some(Tool::JaCoCo),
                "coverage" => Some(Tool::Cobertura),
                other => return Err(Flaw::new(format!("its root is <{other}>"), KNOWN)),
            };
            return Ok(());
        };
        match (tool, name.as_ref()) {
            (Tool::JaCoCo, "group" | "package") => {
                self.is_report = true;
                self.folders.push(attribute(tag, "name")?);
            }
            (Tool::JaCoCo, "sourcefile") => {
                let folders = self.folders.iter().filter(|folder| !folder.is_empty());
                let parts: Vec<String> = folders.cloned().chain([attribute(tag, "name")?]).collect();
                self.begin(parts.join("/"));
            }
            (Tool::JaCoCo, "line") => self.line(tag, "nr", "ci")?,
            (Tool::Cobertura, "packages") => self.is_report = true,
            (Tool::Cobertura, "class") => self.begin(attribute(tag, "filename")?),
            (Tool::Cobertura, "line") => self.line(tag, "number", "hits")?,
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str) {
        match (self.tool, name) {
            (Some(Tool::JaCoCo), "group" | "package") => drop(self.folders.pop()),
            (Some(Tool::JaCoCo), "sourcefile") | (Some(Tool::Cobertura), "class") => self.file = None,
            _ => {}
        }
    }

    fn begin(&mut self, file: String) {
        self.coverage.files.entry(file.clone()).or_default();
        self.file = Some(file);
    }

    /// A line, by the attributes that hold its number and how often something of it ran.
    fn line(&mut self, tag: &BytesStart<'_>, number: &'static str, ran: &'static str) -> Result<(), Flaw> {
        let (line, ran) = (count(tag, number)?, count(tag, ran)?);
        let Some(file) = &self.file else { return Err(Flaw::new("a line outside of any file", KNOWN)) };
        let line = u32::try_from(line).map_err(|_| Flaw::new(format!("there is no line {line}"), KNOWN))?;
        self.coverage.add(file, line, ran > 0);
        Ok(())
    }
}

fn attribute(tag: &BytesStart<'_>, name: &'static str) -> Result<String, Flaw> {
    let found = tag.try_get_attribute(name).map_err(|error| Flaw::new(error.to_string(), WRITE_WHOLE))?;
    let Some(found) = found else {
        return Err(Flaw::new(format!("<{}> has no `{name}`", tag.name().as_ref()), KNOWN));
    };
    let value = found.normalized_value(XmlVersion::Implicit1_0);
    value.map(|value| value.into_owned()).map_err(|error| Flaw::new(error.to_string(), WRITE_WHOLE))
}

fn count(tag: &BytesStart<'_>, name: &'static str) -> Result<u64, Flaw> {
    let text = attribute(tag, name)?;
    text.parse().map_err(|_| Flaw::new(format!("`{name}` is {text:?}, which is no count"), KNOWN))
}
