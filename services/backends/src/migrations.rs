//! Migrations of both databases. A published migration never changes: databases remember its checksum.
//!
//! Two versions of this program may share a database during an upgrade. A migration whose name begins with `expand` only adds what
//! the version before can do without, and that version goes on with it. Any other newer migration is refused.
//!
//! `sqlx::migrate!` would read the folders itself, but its macros compile both databases a second time, for the
//! compiler.

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};

macro_rules! steps {
    ($folder:literal: $($file:literal),* $(,)?) => {
        [$(($file, include_str!(concat!("../migrations/", $folder, $file, ".sql")))),*]
    };
}

/// Those of the embedded database.
const EMBEDDED: [(&str, &str); 7] = steps!(
    "": "0001_log", "0002_queue", "0003_ledger", "0004_map", "0005_map_abstraction", "0006_visits",
    "0007_expand_stages",
);

/// Those of a Postgres server.
const POSTGRES: [(&str, &str); 6] = steps!(
    "postgres/": "0001_queue", "0002_ledger", "0003_map", "0004_map_abstraction", "0005_visits",
    "0006_expand_stages",
);

/// How the names of migrations begin that the version before goes on with.
const EXPAND: &str = "expand";

/// The query for what [`check`] asks.
pub(crate) const APPLIED: &str = "SELECT version, description FROM _sqlx_migrations";

/// Whether this program can work with a database that had these migrations, by version and name.
///
/// # Errors
/// [`MigrateError::VersionMissing`] where a newer version changed what this one needs.
pub(crate) fn check(migrator: &Migrator, applied: &[(i64, String)]) -> Result<(), MigrateError> {
    let is_too_new = |(version, name): &&(i64, String)| {
        !name.starts_with(EXPAND) && migrator.iter().all(|step| step.version != *version)
    };
    applied.iter().find(is_too_new).map_or(Ok(()), |(version, _)| Err(MigrateError::VersionMissing(*version)))
}

/// Brings the embedded database to the newest schema.
pub(crate) fn embedded() -> Migrator {
    migrator(&EMBEDDED)
}

/// Brings a Postgres server's database to the newest schema.
pub(crate) fn postgres() -> Migrator {
    migrator(&POSTGRES)
}

fn migrator(steps: &[(&'static str, &'static str)]) -> Migrator {
    let migrations = (1..).zip(steps).map(|(version, (name, sql))| {
        let description = name.split_once('_').map_or(*name, |(_, words)| words).replace('_', " ");
        let sql = sql.into_sql_str();
        Migration::new(version, description.into(), MigrationType::Simple, sql, false)
    });
    let mut migrator = Migrator::with_migrations(migrations.collect());
    // Which newer ones are refused, `check` says.
    migrator.set_ignore_missing(true);
    migrator
}

#[cfg(test)]
mod tests {
    use super::{EMBEDDED, POSTGRES};
    use std::path::Path;

    #[test]
    fn every_file_of_the_migrations_is_a_step_in_its_place() {
        for (folder, steps) in [("migrations", EMBEDDED.as_slice()), ("migrations/postgres", POSTGRES.as_slice())] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            let mut files: Vec<String> = folder
                .read_dir()
                .expect("the folder")
                .map(|file| file.expect("a file").file_name().to_string_lossy().into_owned())
                .filter_map(|file| file.strip_suffix(".sql").map(str::to_owned))
                .collect();
            files.sort();
            let names: Vec<&str> = steps.iter().map(|(name, _)| *name).collect();
            assert_eq!(files, names);
            for (version, name) in (1..).zip(names) {
                assert!(name.starts_with(&format!("{version:04}_")), "{name} is step {version}");
            }
        }
    }
}
