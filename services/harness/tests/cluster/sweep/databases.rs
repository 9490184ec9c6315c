//! Everything that stands in the tables of a database, column by column.

use super::Exhibit;
use sqlx::postgres::PgPool;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};
use sqlx::{AssertSqlSafe, Row};
use std::path::Path;

/// Every value of every table of a Postgres database.
pub(crate) async fn postgres(url: &str) -> Vec<Exhibit> {
    let pool = PgPool::connect(url).await.expect("a connection");
    let columns = "SELECT table_schema::text, table_name::text, column_name::text, data_type::text
                   FROM information_schema.columns
                   WHERE table_schema NOT IN ('pg_catalog', 'information_schema')";
    let mut exhibits = Vec::new();
    for column in sqlx::query(columns).fetch_all(&pool).await.expect("the columns") {
        let part = |index: usize| column.get::<String, _>(index);
        let (schema, table, name) = (part(0), part(1), part(2));
        let value = match part(3).as_str() {
            "bytea" => format!("\"{name}\""),
            _ => format!("convert_to(\"{name}\"::text, 'UTF8')"),
        };
        let values = format!("SELECT {value} FROM \"{schema}\".\"{table}\" WHERE \"{name}\" IS NOT NULL");
        for row in sqlx::query(AssertSqlSafe(values)).fetch_all(&pool).await.expect("the values") {
            exhibits.push(Exhibit::new(format!("table {table}, column {name}"), row.get::<Vec<u8>, _>(0)));
        }
    }
    pool.close().await;
    exhibits
}

/// Puts two values into a table of their own.
pub(crate) async fn plant(url: &str, bytes: &[u8], text: &str) {
    let pool = PgPool::connect(url).await.expect("a connection");
    sqlx::query("CREATE TABLE planted (bytes bytea, document jsonb)").execute(&pool).await.expect("a table");
    let document = serde_json::json!({ "text": text });
    sqlx::query("INSERT INTO planted VALUES ($1, $2::jsonb)")
        .bind(bytes)
        .bind(document.to_string())
        .execute(&pool)
        .await
        .expect("a row");
    pool.close().await;
}

/// Every value of every table of an SQLite database.
pub(crate) async fn sqlite(file: &Path) -> Vec<Exhibit> {
    let options = SqliteConnectOptions::new().filename(file).read_only(true);
    let pool = SqlitePool::connect_with(options).await.expect("a connection");
    let columns =
        "SELECT tables.name, columns.name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
                   WHERE tables.type = 'table'";
    let mut exhibits = Vec::new();
    for column in sqlx::query(columns).fetch_all(&pool).await.expect("the columns") {
        let (table, name) = (column.get::<String, _>(0), column.get::<String, _>(1));
        let values = format!("SELECT CAST(\"{name}\" AS BLOB) FROM \"{table}\" WHERE \"{name}\" IS NOT NULL");
        for row in sqlx::query(AssertSqlSafe(values)).fetch_all(&pool).await.expect("the values") {
            exhibits.push(Exhibit::new(format!("table {table}, column {name}"), row.get::<Vec<u8>, _>(0)));
        }
    }
    pool.close().await;
    exhibits
}
