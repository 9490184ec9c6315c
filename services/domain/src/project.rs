//! Projects: whose campaigns and maps are whose in an installation that several teams share.
//!
//! The name of a campaign or a site says its project in front, as `payments::nightly`. What belongs to no team belongs to the project
//! `default`, whose names have nothing in front, so that one team alone never sees any of this.

use crate::address;
use crate::id::{CampaignId, SiteId};
use std::fmt;
use url::Url;

/// What stands between a project and the name within it.
const BETWEEN: &str = "::";

/// The name of the project of whoever names none.
const DEFAULT: &str = "default";

/// The longest name of a project: as long as that of a namespace of Kubernetes, which may be one.
const LONGEST: usize = 63;

/// A project.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProjectId(String);

impl ProjectId {
    /// A project by its name: lower-case letters, digits and hyphens between them, at most 63.
    ///
    /// # Errors
    /// A sentence about what is wrong with the name.
    pub fn parse(name: &str) -> Result<Self, String> {
        match is_project(name) {
            true => Ok(Self(name.to_owned())),
            false => Err(format!(
                "`{name}` is no name of a project: write lower-case letters, digits and hyphens between them, at most {LONGEST}"
            )),
        }
    }

    /// Its name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is the project of whoever names none.
    pub fn is_default(&self) -> bool {
        self.0 == DEFAULT
    }

    /// The campaign of this name in the project. A name that says its project already stays as it is.
    pub fn campaign(&self, name: &str) -> CampaignId {
        CampaignId::new(self.qualify(name))
    }

    /// The site of this name in the project. A name that says its project already stays as it is; an origin is one however it is spelled.
    pub fn site(&self, name: &str) -> SiteId {
        let (project, own) = split(name);
        let is_origin =
            |url: &Url| matches!(url.scheme(), "http" | "https") && url.path() == "/" && url.query().is_none();
        let origin = Url::parse(own).ok().filter(is_origin).and_then(|url| address::origin(url.as_str()));
        let own = origin.as_deref().unwrap_or(own);
        SiteId::new(whole(project.unwrap_or(&self.0), own))
    }

    fn qualify(&self, name: &str) -> String {
        let (project, own) = split(name);
        whole(project.unwrap_or(&self.0), own)
    }
}

impl Default for ProjectId {
    fn default() -> Self {
        Self(DEFAULT.to_owned())
    }
}

impl fmt::Display for ProjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl CampaignId {
    /// The project that it belongs to.
    pub fn project(&self) -> ProjectId {
        ProjectId(self.project_name().to_owned())
    }

    /// The name of the project that it belongs to.
    pub fn project_name(&self) -> &str {
        split(&self.0).0.unwrap_or(DEFAULT)
    }

    /// Its name within the project.
    pub fn own_name(&self) -> &str {
        split(&self.0).1
    }
}

impl SiteId {
    /// The site of this name; without one, the origin of the address at which it begins.
    pub fn named(name: Option<&str>, start_url: &str) -> SiteId {
        let origin = || address::origin(start_url).unwrap_or_else(|| start_url.to_owned());
        SiteId(name.map_or_else(origin, str::to_owned))
    }

    /// The project that it belongs to.
    pub fn project(&self) -> ProjectId {
        ProjectId(split(&self.0).0.unwrap_or(DEFAULT).to_owned())
    }

    /// Its name within the project.
    pub fn own_name(&self) -> &str {
        split(&self.0).1
    }
}

/// Whether a name says that it is of the default project: each thing has one name only, and that is the one without.
pub fn says_default(name: &str) -> bool {
    split(name).0 == Some(DEFAULT)
}

/// The one name of what is called so in a project.
fn whole(project: &str, own: &str) -> String {
    if project == DEFAULT { own.to_owned() } else { format!("{project}{BETWEEN}{own}") }
}

/// The project that a name says, and the rest of it. The address of a site may hold the sign as well: `http://[::1]:8000`.
fn split(name: &str) -> (Option<&str>, &str) {
    match name.split_once(BETWEEN) {
        Some((project, rest)) if is_project(project) => (Some(project), rest),
        _ => (None, name),
    }
}

fn is_project(name: &str) -> bool {
    let is_inner = |sign: u8| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == b'-';
    (1..=LONGEST).contains(&name.len()) && name.bytes().all(is_inner) && !name.starts_with('-') && !name.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_its_project_and_that_of_the_default_one_says_nothing() {
        let (payments, default) = (ProjectId::parse("payments").expect("a name"), ProjectId::default());
        assert_eq!(payments.campaign("nightly"), CampaignId::new("payments::nightly"));
        assert_eq!(default.campaign("nightly"), CampaignId::new("nightly"));
        assert_eq!(default.campaign("payments::nightly").project(), payments);
        assert_eq!(payments.campaign("default::nightly"), CampaignId::new("nightly"), "said so");
        for (name, project, own) in
            [("payments::a::b", "payments", "a::b"), ("nightly", "default", "nightly"), ("A::b", "default", "A::b")]
        {
            let id = CampaignId::new(name);
            assert_eq!((id.project().as_str(), id.own_name()), (project, own));
        }
        assert!(says_default("default::nightly") && !says_default("nightly"));
    }

    #[test]
    fn an_address_is_a_site_of_any_project() {
        let payments = ProjectId::parse("payments").expect("a name");
        for address in ["http://[::1]:8000", "http://127.0.0.1:8000", "https://shop.example"] {
            assert!(SiteId::new(address).project().is_default(), "{address}");
            let site = payments.site(address);
            assert_eq!((site.project(), site.own_name()), (payments.clone(), address));
        }
        for spelled in ["HTTP://Shop.example:80", "http://shop.example./", "payments::http://shop.example"] {
            assert_eq!(payments.site(spelled), SiteId::new("payments::http://shop.example"), "{spelled}");
        }
        assert_eq!(payments.site("http://shop.example/a"), SiteId::new("payments::http://shop.example/a"), "a name");
    }

    #[test]
    fn names_of_projects_are_plain() {
        for name in ["a", "team-7", &"x".repeat(LONGEST)] {
            assert!(ProjectId::parse(name).is_ok(), "{name}");
        }
        for name in ["", "-a", "a-", "A", "a_b", "a:b", "ü", &"x".repeat(LONGEST + 1)] {
            assert!(ProjectId::parse(name).is_err(), "{name}");
        }
    }
}
