//! Whatever a robots.txt holds, it is read: no panic, and no more memory than its size allows.

use super::{AGENT, Rules, tokens_only};
use fuzzing::{Allowance, fuzz, mutated, one_of};
use url::Url;

const FILE: &str = "# shop\r\nUser-agent: *\nDisallow: /admin/*.php$\nAllow: /admin/help%20me?a=*\nCrawl-delay: 2.5\n\n\
    User-agent: Rutter/1.0 (+http://example.org)\nuser-agent: other\nDisallow:\nDisallow: /*/private\nSitemap: http://shop.test/s.xml\n";

const ALLOWED: Allowance = Allowance { base: 1 << 20, per_byte: 400 };

#[test]
fn a_robots_txt_is_read_whatever_it_holds() {
    let addresses = ["http://shop.test/", "http://shop.test/admin/a.php", "http://shop.test/x/private?%F0%9F%92%A9#a"];
    let addresses = addresses.map(|address| Url::parse(address).unwrap());
    fuzz("robots", mutated(one_of([FILE.as_bytes().to_vec()])), ALLOWED, |input| {
        let rules = Rules::parse(tokens_only(input).as_bytes(), AGENT);
        for address in &addresses {
            let _ = rules.is_url_allowed(address);
        }
    });
}
