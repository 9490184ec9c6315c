//! Passes rows to Postgres as one array per column. The statement's text does not depend on the number of rows, so the
//! server parses it once.

use super::Value;
use sqlx::AssertSqlSafe;
use sqlx::postgres::{PgArguments, Postgres};
use sqlx::query::Query;
use std::fmt::Write as _;

/// The columns of some rows.
pub(super) struct Columns<'a>(Vec<Column<'a>>);

enum Column<'a> {
    Numbers(Vec<i64>),
    Texts(Vec<&'a str>),
    Bytes(Vec<&'a [u8]>),
}

impl<'a> Columns<'a> {
    /// The columns of these rows, each of the kind of its first value; none when there are no rows.
    ///
    /// # Panics
    /// When a column holds values of two kinds, which no list of rows in the code does.
    pub(super) fn of(rows: &[Vec<Value<'a>>]) -> Option<Self> {
        let mut columns: Vec<Column<'a>> = rows.first()?.iter().map(|value| Column::like(value, rows.len())).collect();
        for row in rows {
            for (column, value) in columns.iter_mut().zip(row) {
                column.push(*value);
            }
        }
        Some(Self(columns))
    }

    /// The statement, in which `{rows}` stands for the rows.
    pub(super) fn query<'q>(&self, sql: &str) -> Query<'q, Postgres, PgArguments> {
        let (mut arrays, mut names) = (String::new(), String::new());
        for (place, column) in self.0.iter().enumerate() {
            let (comma, number) = (if place == 0 { "" } else { ", " }, place + 1);
            // Writing to a string cannot fail.
            let _ = write!(arrays, "{comma}${number}::{}[]", column.kind());
            let _ = write!(names, "{comma}column{number}");
        }
        let list = format!("SELECT * FROM UNNEST({arrays}) AS given ({names})");
        let query = sqlx::query(AssertSqlSafe(sql.replace("{rows}", &list)));
        self.0.iter().fold(query, |query, column| match column {
            Column::Numbers(numbers) => query.bind(numbers),
            Column::Texts(texts) => query.bind(texts),
            Column::Bytes(bytes) => query.bind(bytes),
        })
    }
}

impl<'a> Column<'a> {
    fn like(value: &Value<'a>, rows: usize) -> Self {
        match value {
            Value::Number(_) => Column::Numbers(Vec::with_capacity(rows)),
            Value::Text(_) => Column::Texts(Vec::with_capacity(rows)),
            Value::Bytes(_) => Column::Bytes(Vec::with_capacity(rows)),
        }
    }

    fn push(&mut self, value: Value<'a>) {
        match (self, value) {
            (Column::Numbers(numbers), Value::Number(number)) => numbers.push(number),
            (Column::Texts(texts), Value::Text(text)) => texts.push(text),
            (Column::Bytes(all), Value::Bytes(bytes)) => all.push(bytes),
            (_, value) => unreachable!("{value:?} is of another kind than the first of its column"),
        }
    }

    /// The type of its values.
    fn kind(&self) -> &'static str {
        match self {
            Column::Numbers(_) => "BIGINT",
            Column::Texts(_) => "TEXT",
            Column::Bytes(_) => "BYTEA",
        }
    }
}
