//! The JSON schema of the document, made from its types. `docs/report.schema.json` is this text; a test
//! compares them.

use crate::Document;

/// The schema, as JSON text.
pub fn schema() -> String {
    let mut schema = schemars::schema_for!(Document);
    schema.insert("title".into(), format!("Palisade report, version {}", crate::document::VERSION).into());
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    /// `UPDATE=1 cargo test -p palisade-report` writes the file.
    #[test]
    fn the_schema_in_the_documentation_is_the_one_of_the_types() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/report.schema.json");
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(path, super::schema()).unwrap();
        }
        let documented = std::fs::read_to_string(path).unwrap();
        assert!(documented == super::schema(), "run UPDATE=1 cargo test -p palisade-report");
    }
}
