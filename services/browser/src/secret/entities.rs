//! Names of characters in HTML: those that markup needs, and those of Latin-1 (HTML 4.01, section 24.2.1). Pure.

/// Names of the characters from U+00A0 on, in order.
const LATIN: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute \
     micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig \
     Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash \
     Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute \
     ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc \
     uuml yacute thorn yuml";

/// The first character of them.
const FIRST: u32 = 0xa0;

/// The name of a character, without its ampersand and semicolon; none where it has none here.
pub(super) fn name(sign: char) -> Option<&'static str> {
    match sign {
        '&' => Some("amp"),
        '<' => Some("lt"),
        '>' => Some("gt"),
        '"' => Some("quot"),
        '\'' => Some("apos"),
        other => LATIN.split(' ').nth(u32::from(other).checked_sub(FIRST)? as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_the_names_of_html() {
        let named: Vec<Option<&str>> = ['&', 'ö', 'ß', 'é', '\u{a0}', 'ÿ', 'a', 'Ā'].into_iter().map(name).collect();
        let names = ["amp", "ouml", "szlig", "eacute", "nbsp", "yuml"].map(Some);
        assert_eq!(named[..6], names);
        assert_eq!(named[6..], [None, None]);
    }
}
