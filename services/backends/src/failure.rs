//! Error messages of databases: what was being done, and where known, what helps.

use domain::storage::StorageError;
use sqlx::migrate::MigrateError;

/// A failure of the database of this name, with what was being done.
pub(crate) fn failed(doing: &str, database: &str, cause: &sqlx::Error) -> StorageError {
    let code = cause.as_database_error().and_then(|error| error.code());
    StorageError::Unavailable(match code.as_deref() {
        // SQLITE_FULL, SQLITE_IOERR_WRITE where a quota says no, and Postgres's `disk_full`.
        Some("13" | "778" | "53100") => format!(
            "{doing}: the disk is full that holds {database} ({cause}); make room and try again, what was acknowledged is safe"
        ),
        // Postgres's `read_only_sql_transaction`.
        Some("25006") => format!(
            "{doing}: the database {database} is read-only ({cause}); make it writable, or name the one that is: what was \
             acknowledged is safe, and work goes on then"
        ),
        _ => format!("{doing}: {cause}"),
    })
}

/// Why the database of this name could not be migrated.
pub(crate) fn not_migrated(database: &str, cause: &MigrateError) -> StorageError {
    let doing = format!("bring the database {database} to the newest schema");
    match cause {
        MigrateError::Execute(cause) | MigrateError::ExecuteMigration(cause, _) => failed(&doing, database, cause),
        MigrateError::VersionMissing(_) => StorageError::Corrupt(format!(
            "{doing}: {cause}; it was written by a newer version: update this program, or name another database"
        )),
        _ => {
            StorageError::Corrupt(format!("{doing}: {cause}; name another database, or restore this one from a backup"))
        }
    }
}
