//! The scripted application: an order that takes ten actions over five pages of more than three hundred elements each. Pure.
//!
//! A wizard's *stage* is the number of right actions so far. Some lead to another page, some change the page in place. The same
//! scenes are served as HTML that works in a real browser, and described as a browser would describe them.

mod description;
mod html;
mod scene;

pub(crate) use description::within_string;
pub use description::{Description, ReceiverCopy};
pub(crate) use html::document;
pub use html::html;
pub use scene::{Element, Kind, Rect, Scene, scene};

/// Right actions from the first page to the last.
pub const ACTIONS: u8 = 10;
/// Pages of a wizard.
pub const PAGES: u8 = 5;
/// Name of what leads on.
pub const NEXT: &str = "Next";
/// Name of the field that wants the code.
pub const ANSWER: &str = "Answer";

/// What the right action at a stage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// A click that changes the page in place.
    Press,
    /// Typing the code that the page shows, which changes the page in place.
    Fill,
    /// A click that leads to another page.
    Follow,
    /// Nothing is left to do.
    Over,
}

/// The right action at a stage.
pub fn right_move(stage: u8) -> Move {
    match stage {
        ACTIONS.. => Move::Over,
        stage if stage % 3 == 0 => Move::Follow,
        stage if stage % 3 == 1 => Move::Press,
        _ => Move::Fill,
    }
}

/// The page on which a stage is.
pub fn page_of(stage: u8) -> u8 {
    stage.min(ACTIONS).div_ceil(3)
}

/// The stage in which a page opens.
pub fn first_stage(page: u8) -> u8 {
    if page == 0 { 0 } else { 3 * page - 2 }
}

/// Path of a wizard's page.
pub fn path(wizard: u32, page: u8) -> String {
    format!("/wizard/{wizard}/{page}")
}

/// The wizard and page of a path.
pub fn parse_path(path: &str) -> Option<(u32, u8)> {
    let (wizard, page) = path.strip_prefix("/wizard/")?.split_once('/')?;
    let page = page.parse().ok().filter(|page| *page < PAGES)?;
    Some((wizard.parse().ok()?, page))
}

/// The code that a page asks for.
pub fn code(wizard: u32, page: u8) -> String {
    (1000 + (wizard.wrapping_mul(7919) + u32::from(page) * 131) % 9000).to_string()
}

/// What the last page says.
pub fn completion(wizard: u32) -> String {
    format!("Order {} is complete.", 4700 + wizard)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_right_actions_lead_over_all_pages() {
        let mut page = 0;
        for stage in 0..ACTIONS {
            assert_eq!(page_of(stage), page, "stage {stage}");
            if right_move(stage) == Move::Follow {
                page += 1;
                assert_eq!(first_stage(page), stage + 1);
            }
        }
        assert_eq!((page, right_move(ACTIONS), page_of(ACTIONS)), (PAGES - 1, Move::Over, PAGES - 1));
    }

    #[test]
    fn a_path_names_a_wizard_and_one_of_its_pages() {
        assert_eq!(parse_path(&path(12, 4)), Some((12, 4)));
        assert_eq!(parse_path("/wizard/12/5"), None);
        assert_eq!(parse_path("/"), None);
    }
}
