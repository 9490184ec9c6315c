//! Requests that do harm, and requests that look like them.

use super::*;
use crate::exploration::{Exceptions, Guards, Mode};
use url::Url;

fn judged(method: &str, path: &str, body: &str, licence: Licence, guards: &Guards) -> Option<Rule> {
    let url = Url::parse(&format!("http://shop.test{path}")).unwrap();
    let kind = if body.starts_with('{') { "application/json" } else { "application/x-www-form-urlencoded" };
    let fields = fields_of(kind, body.as_bytes());
    refused(&Sent { method, url: &url, instead: None, fields, opens: Opens::Page }, licence, guards)
}

fn careful(method: &str, path: &str, body: &str) -> Option<Rule> {
    judged(method, path, body, Licence::Creating, &Guards::default())
}

#[test]
fn what_is_sent_decides_whatever_pressed_it() {
    for (method, path, body, rule) in [
        ("DELETE", "/x/1", "", Rule::Deletes),
        ("POST", "/x", "_method=DELETE", Rule::Deletes),
        ("POST", "/x?_method=delete", "a=1", Rule::Deletes),
        ("POST", "/x/%64elete", "", Rule::Deletes),
        ("POST", "/columns/3/delete", "", Rule::Deletes),
        ("POST", "/x/%2564elete", "", Rule::Deletes),
        ("POST", "/x", "op=purge_all&id=4", Rule::Deletes),
        ("POST", "/x", "title=Boat&btnDelete=1", Rule::Deletes),
        ("POST", "/graphql", r#"{"query": "mutation { deleteBoat(id: 4) { id } }"}"#, Rule::Deletes),
        ("POST", "/rpc", r#"{"method": "boats.remove", "params": [4]}"#, Rule::Deletes),
        ("POST", "/pages", "title=Boat&action=publish", Rule::Sends),
        ("POST", "/members/invite", "mail=a@b.example", Rule::Sends),
        ("GET", "/items/3/delete", "", Rule::Deletes),
        ("GET", "/items?action=delete&id=3", "", Rule::Deletes),
        ("GET", "/?do=signoff", "", Rule::LogsOut),
        ("GET", "/logout", "", Rule::LogsOut),
        ("GET", "/mailing/s%65nd", "", Rule::Sends),
        ("GET", "/mailing/s%2565nd", "", Rule::Sends),
        ("GET", "/orders/3?reset=1", "", Rule::ExistingRecord),
        ("GET", "/requests/approve/7", "", Rule::ExistingRecord),
        ("GET", "/tickets/7/v%6Fid", "", Rule::ExistingRecord),
        ("GET", "/tickets.php?act=d%65l&no=7", "", Rule::Deletes),
        ("GET", "/depot?do=flush", "", Rule::Deletes),
        ("GET", "/boat/doPurgeAllPhotos", "", Rule::Deletes),
        ("GET", "/pages/revert?rev=12", "", Rule::ExistingRecord),
        ("GET", "/requests?approve=7", "", Rule::ExistingRecord),
        ("GET", "/engine/102/scrap", "", Rule::ExistingRecord),
        ("GET", "/noclegi/52/usun", "", Rule::ExistingRecord),
        ("GET", "/corsi/42/annulla", "", Rule::ExistingRecord),
        ("GET", "/loans/32?forgive=yes", "", Rule::ExistingRecord),
        ("GET", "/loans?scrap=32", "", Rule::ExistingRecord),
        ("GET", "/rehearsals/51/calloff", "", Rule::UnknownCommand),
        ("GET", "/lamps/51/sunset.php", "", Rule::UnknownCommand),
        ("GET", "/lamps/51/take-over", "", Rule::UnknownCommand),
        ("GET", "/chats?accion=pasear&id=4", "", Rule::UnknownCommand),
        ("GET", "/plots/baja/A-5", "", Rule::UnknownCommand),
        ("POST", "/ward/feeds", "oid=4410&ml=60&act=given", Rule::ExistingRecord),
        ("GET", "/plant/sluice.cgi?gate=4&cmd=open", "", Rule::UnknownCommand),
        ("GET", "/laundry/avboka?pass=88", "", Rule::UnknownCommand),
        ("GET", "/sitzung/ende", "", Rule::LogsOut),
        ("GET", "/robots/D4/log/export?deliver=email&to=board", "", Rule::Sends),
        ("GET", "/docket/sealCase.do", "", Rule::UnknownCommand),
        ("GET", "/draw.php/redo", "", Rule::UnknownCommand),
        ("GET", "/page/7-1.ILinkListener-rows-2-approva", "", Rule::UnknownCommand),
        ("GET", "/admin/cron/run", "", Rule::UnknownCommand),
        ("GET", "/board?delete=column&id=4", "", Rule::Deletes),
        ("GET", "/lists/options/save.pl?moderated=on&footer=Ltd", "", Rule::UnknownCommand),
        ("GET", "/vouchers.php?v=204&x=mail", "", Rule::UnknownCommand),
        ("GET", "/penalties/appeals?id=799&ok=n", "", Rule::UnknownCommand),
        ("GET", "/trips/gdynia/usun", "", Rule::ExistingRecord),
        ("GET", "/jobs/trigger?task=hourly", "", Rule::UnknownCommand),
        ("GET", "/update.php?action=renew-engine&engine=old.php", "", Rule::UnknownCommand),
        ("GET", "/w/index.php?action=marksolved&rcid=88", "", Rule::UnknownCommand),
        ("GET", "/boats_admin.php?ID=7&action_button=beach", "", Rule::UnknownCommand),
        ("GET", "/hire/boat/hold/boat_id/123", "", Rule::UnknownCommand),
        ("GET", "/hire/boat/hold/boat_id/123/key/8f3c", "", Rule::UnknownCommand),
        ("POST", "/x", "action_delete=1", Rule::Deletes),
        ("POST", "/x", "bulk_action[remove]=on", Rule::Deletes),
        ("GET", "/items?action_delete=7", "", Rule::Deletes),
        ("GET", "/requests?action_approve=7", "", Rule::ExistingRecord),
        ("GET", "/boats?bulkAction=beach&ID=7", "", Rule::UnknownCommand),
        ("GET", "/notes?action=trashnote&c=5", "", Rule::UnknownCommand),
        ("GET", "/index.php?task=boat.beach&id=4", "", Rule::UnknownCommand),
        ("POST", "/mailbox/block_login", "", Rule::Deletes),
        ("POST", "/db/run", "query=select+1;drop+view+x", Rule::Administration),
        ("GET", "/router/lines/line_reconnect?line=b", "", Rule::UnknownCommand),
        ("GET", "/mail/delbox.html?box=info", "", Rule::UnknownCommand),
        ("GET", "/db/import.php?table=boats&sql_text=TRUNCATE", "", Rule::Administration),
        ("POST", "/db/query", "statement=drop+table+boats", Rule::Administration),
        ("POST", "/members/load", "mode=replace", Rule::ExistingRecord),
        ("POST", "/repairs/R-2291/remarks", "remark=x", Rule::Sends),
        ("PUT", "/boats/3", "name=x", Rule::ExistingRecord),
        ("POST", "/boats/3", "_method=patch&name=x", Rule::ExistingRecord),
        ("POST", "/boats/3/edit", "name=x", Rule::ExistingRecord),
        ("POST", "/boats/3/toggle", "", Rule::ExistingRecord),
        ("POST", "/boats/save", "id=3&name=x", Rule::ExistingRecord),
        ("POST", "/settings/language", "language=fr", Rule::Settings),
        ("POST", "/admin/cache/warm", "", Rule::Administration),
        ("POST", "/tokens", "name=x", Rule::Administration),
        ("POST", "/index.php?page=3", "id=3&btnRemove=x", Rule::Deletes),
        ("POST", "/account", "old_password=a&new_password=b", Rule::Password),
        ("POST", "/account", "password=a&password_confirmation=a", Rule::Password),
        ("POST", "/book", "name=x&card_number=4111+1111+1111+1111", Rule::Pays),
        ("POST", "/book", "a=4111111111111111", Rule::Pays),
    ] {
        assert_eq!(careful(method, path, body), Some(rule), "{method} {path} {body}");
    }
}

#[test]
fn what_only_sounds_like_harm_is_sent() {
    for (method, path, body) in [
        ("GET", "/help/how-to-delete-an-account", ""),
        ("GET", "/support/kb/delete-your-account", ""),
        ("GET", "/docs/delete", ""),
        ("GET", "/payments", ""),
        ("GET", "/checkout/pay", ""),
        ("GET", "/messages/send", ""),
        ("GET", "/deleted-items", ""),
        ("GET", "/orders?reset=1", ""),
        ("GET", "/molino?quitar=filtros", ""),
        ("GET", "/handbook/api-purge?sample=curl", ""),
        ("GET", "/lots/7/auction", ""),
        ("GET", "/index.php/kontakt", ""),
        ("GET", "/list/7?start=0&length=25", ""),
        ("GET", "/caf%C3%A9/send%20it", ""),
        ("GET", "/items/3", ""),
        ("GET", "/items/3/edit", ""),
        ("GET", "/book/3", ""),
        ("GET", "/archive/2024", ""),
        ("GET", "/builds/report?id=5", ""),
        ("GET", "/contest/12", ""),
        ("GET", "/boats/3/members", ""),
        ("GET", "/boats/3/blue-lamp", ""),
        ("GET", "/news/2026/lamp", ""),
        ("GET", "/boats?action=history&id=3", ""),
        ("GET", "/forum?action=profile&u=ann", ""),
        ("GET", "/wiki?do=backlink&page=start", ""),
        ("GET", "/wiki?action=lamps", ""),
        ("GET", "/hire/boat/view/boat_id/123", ""),
        ("GET", "/shop/delivery.html?country=fr", ""),
        ("GET", "/boats?name=x&submit=Go", ""),
        ("GET", "/boats?filter_action=Filter&m=0", ""),
        ("GET", "/boats?event=regatta&venue=royal", ""),
        ("GET", "/jobs/deploy-engineer?source=x", ""),
        ("GET", "/log-in?action=lostpassword&redirect_to=home", ""),
        ("GET", "/person/id/5", ""),
        ("GET", "/wiki?id=start&do=admin", ""),
        ("GET", "/x.do?method=getList&pageNo=1", ""),
        ("GET", "/search?q=insert+into", ""),
        ("GET", "/de/stadt/marktplatz", ""),
        ("POST", "/db/query", "sql=select+*+from+boats"),
        ("POST", "/wp-login.php", "log=ann"),
        ("GET", "/search?q=delete", ""),
        ("GET", "/list?sort=price&order=asc", ""),
        ("POST", "/items", "title=Delete+me&text=Please+remove"),
        ("POST", "/items/3/pages", "text=Rutter"),
        ("GET", "/shows/hamlet-14-june/refunded", ""),
        ("GET", "/products/lamps/5", ""),
        ("GET", "/boats/show?id=3&tab=crew", ""),
        ("GET", "/accounts/login?next=/boats/3/", ""),
        ("GET", "/forum/viewtopic.php?t=12", ""),
        ("GET", "/results?query=lamp&category_id=5", ""),
        ("GET", "/blog/2024/05/hello", ""),
        ("GET", "/shop/lantern?PHPSESSID=a1", ""),
        ("GET", "/boats?id=3&page=2&color=blue", ""),
        ("GET", "/boats/launch?page=2", ""),
        ("POST", "/spares", "query=replacement"),
        ("POST", "/index.php", "title=x"),
        ("POST", "/cart/add/3", ""),
        ("POST", "/cart", "id=3&quantity=2"),
        ("POST", "/filters/clear", ""),
        ("POST", "/search", "query=delete"),
        ("POST", "/graphql", r#"{"query": "query { boats { id } }"}"#),
        ("POST", "/login", "user=ann&password=secret"),
        ("POST", "/sign-up", "email=a@b.example&password=a&password_confirmation=a"),
        ("POST", "/items", "phone=5550100123&number=2"),
        ("POST", "/items", "delete=0&title=x"),
    ] {
        assert_eq!(careful(method, path, body), None, "{method} {path} {body}");
    }
}

#[test]
fn what_says_which_one_was_there_before_changes_it_whatever_the_method() {
    let saved = "/issue?@action=search&@queryname=urgent&@old-queryname=urgent&priority=2";
    assert_eq!(careful("GET", saved, ""), Some(Rule::ExistingRecord));
    assert_eq!(careful("POST", "/filters", "name=mine&previous_name=ours"), Some(Rule::ExistingRecord));
    for path in [
        "/issue?@action=search&@queryname=mine&@old-queryname=",
        "/books?old=1",
        "/rooms?previous-page=2",
        "/map?original_size=4",
    ] {
        assert_eq!(careful("GET", path, ""), None, "{path}");
    }
    assert_eq!(judged("GET", saved, "", Licence::Own, &Guards::default()), None);
}

#[test]
fn an_action_that_is_to_change_nothing_may_still_ask() {
    let reading = |path, body| judged("POST", path, body, Licence::Reading(Rule::SavesAtOnce), &Guards::default());
    assert_eq!(reading("/anything", "on=1"), Some(Rule::SavesAtOnce));
    assert_eq!(reading("/graphql", r#"{"query": "mutation { flip(id: 4) { id } }"}"#), Some(Rule::SavesAtOnce));
    assert_eq!(reading("/graphql", r#"{"query": "{ boats { id } }"}"#), None);
    assert_eq!(reading("/api/search", "q=a"), None);
    assert_eq!(reading("/rpc/getBoats", "page=2"), None);
    assert_eq!(reading("/rpc/getAndDelete", "id=2"), Some(Rule::Deletes));
    assert_eq!(reading("/list", "id=2"), Some(Rule::SavesAtOnce));
    assert_eq!(reading("/orders/12/list-przewozowy", ""), Some(Rule::SavesAtOnce));
    assert_eq!(reading("/mailbox/info/forbid_login", ""), Some(Rule::SavesAtOnce));
    assert_eq!(reading("/rooms/4/check-in", ""), Some(Rule::SavesAtOnce));
    assert_eq!(reading("/hosts/4/ping", ""), Some(Rule::SavesAtOnce));
    assert_eq!(reading("/hosts/4/search", ""), None);
    assert_eq!(reading("/names/check", ""), None);
}

#[test]
fn own_records_are_changed_and_deleted() {
    let own = |method, path| judged(method, path, "", Licence::Own, &Guards::default());
    assert_eq!(own("PUT", "/boats/3"), None);
    assert_eq!(own("DELETE", "/boats/3"), None);
}

#[test]
fn free_explorations_change_what_is_there_and_still_destroy_nothing() {
    let free = Guards { mode: Mode::Free, ..Guards::default() };
    let judged = |method, path, body| judged(method, path, body, Licence::Creating, &free);
    assert_eq!(judged("PUT", "/boats/3", ""), None);
    assert_eq!(judged("POST", "/settings", "language=fr"), None);
    assert_eq!(judged("POST", "/boats/3", "_method=delete"), Some(Rule::Deletes));
    let all = Guards { mode: Mode::Destructive, ..Guards::default() };
    assert_eq!(super::refused(&sent(&url("/x"), "DELETE"), Licence::Creating, &all), None);
}

fn url(path: &str) -> Url {
    Url::parse(&format!("http://shop.test{path}")).unwrap()
}

fn sent<'a>(url: &'a Url, method: &'a str) -> Sent<'a> {
    Sent { method, url, instead: None, fields: Vec::new(), opens: Opens::Page }
}

#[test]
fn what_people_name_is_allowed_or_forbidden_and_forbidding_is_stronger() {
    let named = |paths: &[&str], methods: &[&str]| Exceptions {
        paths: paths.iter().map(ToString::to_string).collect(),
        methods: methods.iter().map(ToString::to_string).collect(),
        ..Exceptions::default()
    };
    let guards =
        Guards { allow: named(&["/drafts/*"], &["PUT"]), deny: named(&["/drafts/7*"], &[]), ..Guards::default() };
    let judged = |method, path| judged(method, path, "", Licence::Creating, &guards);
    assert_eq!(judged("DELETE", "/drafts/3"), None);
    assert_eq!(judged("PUT", "/boats/3"), None);
    assert_eq!(judged("DELETE", "/boats/3"), Some(Rule::Deletes));
    assert_eq!(judged("GET", "/drafts/7"), Some(Rule::Denied));
}

#[test]
fn who_only_reads_sends_nothing_and_a_dry_run_says_that_it_would() {
    let guards = Guards { mode: Mode::ReadOnly, ..Guards::default() };
    assert_eq!(judged("POST", "/search", "q=a", Licence::All, &guards), Some(Rule::ReadOnly));
    assert_eq!(judged("GET", "/search?q=a", "", Licence::Creating, &guards), None);
    let guards = Guards { dry_run: true, ..Guards::default() };
    assert_eq!(judged("POST", "/boats", "name=x", Licence::Creating, &guards), Some(Rule::DryRun));
}

#[test]
fn fields_are_read_from_forms_in_parts_and_from_json() {
    let body = "--b\r\nContent-Disposition: form-data; name=\"_method\"\r\n\r\ndelete\r\n--b\r\nContent-Disposition: \
                form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nx\r\n--b--\r\n";
    let fields = fields_of("multipart/form-data; boundary=b", body.as_bytes());
    assert_eq!(fields, [("_method".to_owned(), "delete".to_owned()), ("file".to_owned(), String::new())]);
    let fields = fields_of("application/json", br#"{"a": {"op": "remove"}, "n": [1]}"#);
    assert_eq!(fields, [("op".to_owned(), "remove".to_owned()), ("n".to_owned(), "1".to_owned())]);
    assert!(fields_of("application/octet-stream", b"\xff\x00").is_empty());
}

#[test]
fn words_around_a_control_say_what_it_changes() {
    assert!(is_price("Total: 12,50 €") && is_price("USD 5 a month") && !is_price("12 boats") && !is_price("€"));
    assert!(names_administration("Enable maintenance mode") && names_administration("Cache leeren"));
    assert!(
        names_administration("Make a new code")
            && names_administration("Rotate key")
            && !names_administration("New code")
    );
    assert!(names_administration("Gerar nova palavra-passe") && !names_administration("Neue Liste"));
    assert!(!names_administration("Nueva palabra clave") && !names_administration("Nytt nyckelord"));
    for label in [
        "Save as new",
        "Set up new boat",
        "Neu",
        "Neu anlegen",
        "Neue Liste",
        "Save and add another",
        "New boat",
        "Nuovo",
        "Ny båt",
    ] {
        assert!(creates(&label.to_lowercase()), "{label}");
    }
    for label in ["Neu verbinden", "Appliquer la nouvelle quantité", "Koble til på nytt", "Avvia di nuovo"] {
        assert!(!creates(&label.to_lowercase()), "{label}");
    }
    assert!(puts_into_collection("queue news in my playlist") && takes_from_collection("take out of my songbook", ""));
    assert!(!names_administration("Dark mode") && !names_administration("Token list"));
    assert!(is_of_settings("Time zone") && is_of_settings("Sprache") && !is_of_settings("Boats"));
    assert!(of_danger("Danger Zone") && !of_danger("Zone 3"));
    assert!(decides("Approve request") && !decides("Requests that were approved by others"));
    assert!(posts("Post comment") && !posts("Posts of last week, read again"));
    assert!(takes_from_collection("Remove from comparison", "") && takes_from_collection("Remove", "/cart"));
    assert!(!takes_from_collection("Remove", "/boats") && puts_into_collection("Add to cart"));
}

#[test]
fn a_rule_is_known_by_its_name() {
    for rule in Rule::ALL {
        assert_eq!(Rule::named(rule.name()), Some(rule));
        assert_eq!(serde_json::to_value(rule).unwrap(), rule.name());
    }
}

#[test]
fn what_was_sent_created_or_changed_something_or_only_asked() {
    let deed = |method, path| deed_of(method, &url(path));
    assert_eq!(deed("POST", "/boats"), Some(Deed::Created));
    assert_eq!(deed("POST", "/boats/3/notes"), Some(Deed::Created));
    assert_eq!(deed("POST", "/boats/3"), Some(Deed::Changed));
    assert_eq!(deed("DELETE", "/boats/3"), Some(Deed::Changed));
    assert_eq!(deed("POST", "/search"), None);
    assert_eq!(deed("GET", "/boats"), None);
}

#[test]
fn a_link_that_names_a_domain_or_calls_a_program_by_its_verb_does_what_it_says() {
    for path in [
        "/names/oldlamp.example/release",
        "/store/storm-lamp/notify-me",
        "/gateway/upgrade.cgi",
        "/board/vote.php?dir=down&post=311",
        "/transport/abonament/reziliere",
    ] {
        assert!(careful("GET", path, "").is_some(), "{path}");
    }
    for path in [
        "/names/oldlamp.example",
        "/names/oldlamp.example/records",
        "/names/oldlamp.example/history",
        "/docs/upgrade.html",
        "/plans/upgrade.html",
        "/downloads/manual.pdf",
        "/board/votes",
        "/store/storm-lamp/reviews",
    ] {
        assert_eq!(careful("GET", path, ""), None, "{path}");
    }
    assert!(careful("POST", "/names/lantern.example/lock", "state=off").is_some());
}

#[test]
fn links_that_begin_with_a_verb_or_switch_a_record_are_not_followed() {
    let followed = |path: &str| {
        let url = Url::parse("http://a.example").unwrap().join(path).unwrap();
        let sent = Sent { method: "GET", url: &url, instead: None, fields: Vec::new(), opens: Opens::Page };
        refused(&sent, Licence::Creating, &Guards::default()).is_none()
    };
    for path in [
        "/orders/7/resend_confirmation",
        "/backoffice/order/resend_confirmation?id_order=10452",
        "/orders/7/set_state?state=paid",
        "/forum.php?mark=forums",
        "/servlet/PostGoodsReceipt?po=4501",
        "/job/site/doWipeOutWorkspace",
        "/opac-renew.pl?item=9001",
        "/admin.php?aus=31",
        "/mails/7/receipt?yes=1",
        "/mails/7/receipt?sent=1",
        "/admin.php?page=maintenance&action=lock_gallery",
        "/basket?cancel_order=true&order_id=1042",
        "/lists/admin?page=messages&resend=12",
        "/manage_user_prune.php?days=7",
        "/webmin/exec_cron.cgi?idx=4",
        "/sympa/resetbounce/crew?email=a@b.example",
        "/rest/setRating.view?id=881&rating=1",
        "/del_entry.php?id=31",
        "/index.cgi?logout=1",
    ] {
        assert!(!followed(path), "{path}");
    }
    for path in [
        "/orders/7/change_history",
        "/orders/7/shipping_address",
        "/job/deploy-shop/31/console",
        "/board/view.jsp?no=31",
        "/questions/7?noredirect=1",
        "/questions/7/answers?expanded=1",
        "/billing-address.php",
        "/index.pl?Action=AgentTicketHistory&TicketID=12",
        "/doku.php?id=berths&do=edit",
        "/bugs/tree.cgi?id=4410&hide_resolved=1",
        "/tides/-/merge_requests/12.diff",
        "/mail?_action=viewsource&_uid=12",
    ] {
        assert!(followed(path), "{path}");
    }
}

#[test]
fn under_a_licence_to_try_nothing_is_sent_that_does_more() {
    let tried = |method: &str, path: &str, fields: &[(&str, &str)]| {
        let url = Url::parse("http://a.example").unwrap().join(path).unwrap();
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let sent = Sent { method, url: &url, instead: None, fields, opens: Opens::Nothing };
        refused(&sent, Licence::Trying(Rule::Unclear), &Guards::default())
    };
    assert_eq!(tried("POST", "/payroll/runs/6", &[("do", "dry-run")]), None);
    assert_eq!(tried("GET", "/payroll/runs/6/preview", &[]), None);
    for (method, path, fields) in [
        ("POST", "/payroll/runs/6", [("do", "approve")]),
        ("DELETE", "/items/6/preview", [("preview", "1")]),
        ("PUT", "/items/6/preview", [("preview", "1")]),
        ("POST", "/items/6/preview", [("_method", "patch")]),
        ("POST", "/payroll.php?action=delete", [("preview", "1")]),
    ] {
        assert!(tried(method, path, &fields).is_some(), "{method} {path}");
    }
}

#[test]
fn what_something_is_from_then_on_is_not_created() {
    assert!(!creates("Close as duplicate") && !creates("Mark as copy"));
    assert!(creates("Duplicate") && creates("Save as new") && creates("Add copy"));
}

#[test]
fn a_call_that_reads_by_its_name_only_asks() {
    let reading =
        |path: &str, body: &str| judged("POST", path, body, Licence::Reading(Rule::Unclear), &Guards::default());
    for (path, body) in [
        ("/rpc", r#"{"method": "compute.instances.getSerialPortOutput"}"#),
        ("/update", "call=showTimeline"),
        ("/update", "call=nextPage"),
        ("/rpc", r#"{"method": "track.info", "params": [14]}"#),
        ("/ajax.php", "action=get-plugin-details&slug=lamp"),
        ("/ec2", "Action=DescribeInstances"),
        ("/stock.aspx", "__EVENTTARGET=grid&__EVENTARGUMENT=Sort%24Qty"),
    ] {
        assert_eq!(reading(path, body), None, "{path} {body}");
    }
    for (path, body) in [
        ("/rpc", r#"{"method": "compute.instances.reset"}"#),
        ("/update", "call=closeAsDuplicate"),
        ("/ajax.php", "action=list&item=4"),
        ("/stock.aspx", "__EVENTTARGET=grid&__EVENTARGUMENT=Order%241"),
        ("/ec2", "Action=DescribeInstances&method=stopInstances"),
    ] {
        assert!(reading(path, body).is_some(), "{path} {body}");
    }
}

#[test]
fn what_is_hidden_by_escapes_or_asked_of_a_name_is_not_followed() {
    for path in ["/access/%64etach-policy?role=auditor", "/access/detach-volume?role=auditor", "/fonds/%72adier/4"] {
        assert!(careful("GET", path, "").is_some(), "{path}");
    }
    for path in [
        "/ward/8841/discharge-summary.pdf",
        "/permits/return/2026-04.pdf",
        "/lims/S-9041?units=si",
        "/ledger?type=writeoff",
        "/wm?PGM=WM720L&FN=LST",
    ] {
        assert_eq!(careful("GET", path, ""), None, "{path}");
    }
}

#[test]
fn what_settles_or_switches_something_by_a_parameter_is_not_asked() {
    for path in ["/berths/12?reply=reject", "/profile/mail?keepit=1", "/profile/mail?store=1", "/pumps/2?halt=1"] {
        assert!(careful("GET", path, "").is_some(), "{path}");
    }
    for path in [
        "/berths?reply=reject",
        "/berths/2?tab=reject",
        "/berths/2?reply=rejected",
        "/tide/simulate?spring=3",
        "/settings?section=mail",
    ] {
        assert_eq!(careful("GET", path, ""), None, "{path}");
    }
    let pressed = |path: &str| {
        let url = url(path);
        let sent = Sent { opens: Opens::Nothing, ..sent(&url, "GET") };
        refused(&sent, Licence::Reading(Rule::Unclear), &Guards::default())
    };
    assert_eq!(pressed("/pumps/2?overdrive=1"), Some(Rule::UnknownCommand));
    assert_eq!(pressed("/pumps/2?expand=1"), None);
}
