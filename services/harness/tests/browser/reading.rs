//! Reading a page as a whole: nothing is cut in silence, and what cannot be read is said so.

use crate::kit::{Stage, on_both_wires};
use domain::Page;
use domain::observation::{RequestKind, Settled, UnreadCause};
use domain::page::Examination;
use harness::site::Site;
use std::time::Duration;

fn text(examined: &Examination) -> String {
    examined.texts.iter().map(|text| text.text.as_str()).collect::<Vec<_>>().join("\n")
}

on_both_wires! {
    async fn the_browsers_own_page_in_place_of_one_that_did_not_come_is_no_page_of_the_site(wire: browser::Protocol) {
        let site = Site::new().page("/", "<h1>Harbour</h1><a id=a href=/round>Round</a>").redirect("/round", "/round");
        let mut stage = Stage::open(wire, site).await;
        stage.click("a").await;
        let examined = stage.page.examine().await.unwrap();
        let unread: Vec<UnreadCause> = examined.observation.unread.iter().map(|unread| unread.why).collect();
        assert_eq!(unread, [UnreadCause::Document], "{:?}", examined.observation.url);
        stage.close().await;
    }

    async fn a_page_says_when_another_takes_its_place_in_a_moment(wire: browser::Protocol) {
        let site = Site::new()
            .page("/", "<meta http-equiv=refresh content='6; url=/next'><h1>Received</h1>")
            .page("/later", "<meta http-equiv=refresh content='300'><h1>Board</h1>")
            .page("/next", "<h1>Refused</h1>");
        let mut stage = Stage::open(wire, site).await;
        let pending = |settled: &Settled| matches!(settled, Settled::Never { pending } if pending.contains(&"refresh".to_owned()));
        assert!(pending(&stage.page.examine().await.unwrap().observation.settled));
        stage.page.open(&stage.site.url("/later").parse().unwrap()).await.unwrap();
        assert!(!pending(&stage.page.examine().await.unwrap().observation.settled));
        stage.close().await;
    }

    async fn long_texts_names_and_values_are_read_to_their_ends_by_a_judge_only(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, "<p id=p></p><textarea id=t></textarea><button id=b></button><script>\
            p.textContent = 'word '.repeat(900) + 'end'; t.value = 'x'.repeat(30000) + 'end'; b.textContent = 'go '.repeat(300) + 'end';</script>").await;
        assert!(stage.text("p").len() <= 200);
        let examined = stage.page.examine().await.unwrap();
        let node = |id: &str| examined.observation.nodes.iter().find(|node| node.attribute("id") == id).unwrap().clone();
        assert!(node("p").text.ends_with("end") && node("b").name.ends_with("end") && node("b").text.ends_with("end"));
        assert!(node("t").value.unwrap().ends_with("end"));
        assert!(text(&examined).contains("word end") && examined.observation.unread.is_empty());
        stage.seen = stage.page.observe().await.unwrap();
        assert!(stage.text("p").len() <= 200, "the next observation is cut as usual");
        stage.click("b").await;
        stage.close().await;
    }

    async fn a_text_beyond_all_limits_is_said_to_be_cut(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, "<p id=p></p><script>p.textContent = 'word '.repeat(300000) + 'end'</script>").await;
        let examined = stage.page.examine().await.unwrap();
        assert_eq!(examined.observation.unread[0].why, UnreadCause::TooLarge);
        stage.close().await;
    }

    async fn a_document_that_runs_no_scripts_is_read_and_acted_on(wire: browser::Protocol) {
        let site = Site::new()
            .page_with("/", &[("content-security-policy", "sandbox allow-forms")], "<h1>Ferry</h1><form action=/sent>\
                <label>Name <input id=n name=n></label><button id=b>Send</button></form><iframe src=/inner></iframe>")
            .page("/inner", "<p>Timetable</p>")
            .page("/sent", "<h1>Sent</h1>");
        let mut stage = Stage::open(wire, site).await;
        let examined = stage.page.examine().await.unwrap();
        assert!(text(&examined).contains("Ferry") && text(&examined).contains("Timetable"), "{examined:?}");
        assert!(examined.observation.unread.is_empty(), "{:?}", examined.observation.unread);
        stage.seen = stage.page.observe().await.unwrap();
        stage.type_in("n", "Ada").await;
        assert_eq!(stage.node("n").value.as_deref(), Some("Ada"));
        stage.click("b").await;
        assert!(stage.seen.url.contains("/sent?n=Ada"), "{}", stage.seen.url);
        stage.close().await;
    }

    async fn frames_within_frames_are_read_whatever_their_origins(wire: browser::Protocol) {
        let site = Site::new()
            .page("/", "<h1>Top</h1><iframe id=f width=500 height=400 style='margin:20px'></iframe><iframe sandbox='allow-same-origin' srcdoc='<p>Boxed</p>'></iframe>\
                <script>f.src = 'http://localhost:' + location.port + '/outer'</script>")
            .page("/outer", "<p>Outer</p><iframe id=g width=300 height=200 style='margin:30px'></iframe><iframe src=/near></iframe>\
                <script>g.src = 'http://127.0.0.1:' + location.port + '/inner'</script>")
            .page("/near", "<p>Near</p>")
            .page("/inner", "<button id=i onclick=\"this.textContent='pressed'\">Inner</button>");
        let mut stage = Stage::open(wire, site).await;
        let examined = stage.page.examine().await.unwrap();
        for words in ["Top", "Boxed", "Outer", "Near", "Inner"] {
            assert!(text(&examined).contains(words), "{words}: {examined:#?}");
        }
        assert!(examined.observation.unread.is_empty(), "{:?}", examined.observation.unread);
        stage.seen = stage.page.observe().await.unwrap();
        let inner = stage.node("i").clone();
        assert!(inner.bounds.x > 55.0, "{:?}", inner.bounds);
        assert_eq!(stage.seen.ancestors(stage.id("i")).filter(|(_, node)| node.tag == "iframe").count(), 2);
        stage.click("i").await;
        assert_eq!(stage.text("i"), "pressed");
        stage.close().await;
    }

    async fn documents_of_objects_framesets_xhtml_and_bodies_hidden_by_names_are_read(wire: browser::Protocol) {
        let xhtml = "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>x</title></head><body><p>Strict words</p></body></html>";
        let mut stage = Stage::open(wire, Site::new()
            .page("/", "<p>Top</p><object data=/a type=text/html width=300 height=90></object><embed src=/b type=text/html width=300 height=90>\
                <iframe src=/c></iframe><form><input name=body></form><iframe src=/d></iframe>")
            .page("/a", "<p>Object words</p>").page("/b", "<p>Embedded words</p>")
            .file("/c", "application/xhtml+xml", xhtml)
            .page("/d", "<form name=body><p>Form words</p></form>")
            .file("/set", "text/html", "<frameset cols='50%,50%'><frame src=/a><frame src=/d></frameset>")).await;
        let examined = stage.page.examine().await.unwrap();
        for words in ["Top", "Object words", "Embedded words", "Strict words", "Form words"] {
            assert!(text(&examined).contains(words), "{words}: {:?}", (&examined.texts, &examined.observation.frames));
        }
        stage.page.open(&stage.site.url("/set").parse().unwrap()).await.unwrap();
        let examined = stage.page.examine().await.unwrap();
        assert!(text(&examined).contains("Object words") && text(&examined).contains("Form words"), "{:?}", examined.texts);
        stage.close().await;
    }

    async fn shadow_roots_that_the_markup_closes_are_read(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, "<section><template shadowrootmode=closed><p>Kept apart</p><slot></slot>\
            <div><template shadowrootmode=closed>Deeper</template></div></template>Given</section><input value=x><iframe src=/f></iframe>").await;
        let examined = stage.page.examine().await.unwrap();
        for words in ["Kept apart", "Given", "Deeper"] {
            assert!(text(&examined).contains(words), "{words}: {:?}", examined.texts);
        }
        stage.close().await;
    }

    async fn a_frame_that_never_answers_is_unread_and_costs_no_more_than_the_deadline(wire: browser::Protocol) {
        let site = Site::new()
            .page("/", "<button id=b onclick=\"this.textContent='on'\">Go</button><iframe id=f></iframe>\
                <script>f.src = 'http://localhost:' + location.port + '/hang'</script>")
            .page("/hang", "<p>Busy</p><script>addEventListener('load', () => setTimeout(() => { for (;;); }, 60))</script>");
        let mut stage = Stage::open_with(browser::Options { arguments: vec!["--site-per-process".to_owned()], ..Stage::impatient(wire) }, site).await;
        let examined = tokio::time::timeout(Duration::from_secs(15), stage.page.examine()).await.expect("in time").unwrap();
        assert!(examined.observation.unread.iter().any(|part| part.why == UnreadCause::Frame), "{:?}", examined.observation.unread);
        assert!(text(&examined).contains("Go"));
        stage.browser.stop().await;
    }

    async fn requests_are_numbered_have_a_kind_and_are_told_from_the_opening_on(wire: browser::Protocol) {
        let site = Site::new()
            .page("/", "<p>News</p><script>fetch('/items'); navigator.sendBeacon('/seen', 'x');\
                setTimeout(() => { fetch('/slow'); new EventSource('/events'); }, 10);</script>")
            .file("/items", "application/json", "[]")
            .slow_file("/slow", 3000, "application/json", "[]")
            .slow_file("/events", 9000, "text/event-stream", "");
        let stage = Stage::open_with(Stage::impatient(wire), site).await;
        let of = |path: &str| stage.seen.requests.iter().filter(|request| request.url.ends_with(path)).collect::<Vec<_>>();
        assert_eq!((of("/items").len(), of("/items")[0].status, of("/items")[0].kind), (1, Some(200), RequestKind::Script));
        assert_eq!(of("/seen")[0].kind, RequestKind::Beacon);
        assert_eq!(of("/")[0].kind, RequestKind::Document);
        let open = |path: &str| stage.seen.open_requests.iter().find(|open| open.request.url.ends_with(path)).cloned();
        assert_eq!((open("/slow").unwrap().request.number, open("/items")), (of("/slow")[0].number, None));
        assert_eq!(open("/events").unwrap().request.kind, RequestKind::Stream);
        stage.close().await;
    }

    async fn a_canvas_that_is_seen_is_a_part_that_cannot_be_read(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, "<p>Sales</p><canvas id=c width=200 height=60></canvas><canvas hidden></canvas>\
            <div style='display:none'><canvas width=90 height=90></canvas></div>\
            <script>c.getContext('2d').fillText('Declined', 10, 20)</script>").await;
        let examined = stage.page.examine().await.unwrap();
        let unread: Vec<_> = examined.observation.unread.iter().map(|part| (part.why, part.at.as_str())).collect();
        assert_eq!(unread, [(UnreadCause::Drawing, "/html[1]/body[1]/canvas[1]")], "once, however often it is looked at");
        assert_eq!(stage.page.examine().await.unwrap().observation.unread, examined.observation.unread);
        stage.close().await;
    }

    async fn what_workers_and_the_workers_of_workers_request_is_told_once(wire: browser::Protocol) {
        let worker = "new Worker('/inner.js'); fetch('/outer', {method: 'POST'})";
        let site = Site::new().page("/", "<button id=b onclick=\"new Worker('/worker.js')\">Save</button>")
            .file("/worker.js", "text/javascript", worker)
            .file("/inner.js", "text/javascript", "fetch('/inner', {method: 'POST'})")
            .page("/outer", "ok").page("/inner", "ok");
        let mut stage = Stage::open(wire, site).await;
        stage.click("b").await;
        let mut requests = stage.seen.requests.clone();
        while !stage.site.requests().iter().any(|request| request == "POST /inner") {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        requests.extend(stage.page.observe().await.unwrap().requests);
        let requests = evaluation::requests::merge(requests);
        for path in ["/outer", "/inner"] {
            let told: Vec<_> = requests.iter().filter(|request| request.method == "POST" && request.url.ends_with(path)).collect();
            assert_eq!(told.iter().map(|request| request.status).collect::<Vec<_>>(), [Some(200)], "{path}: {requests:#?}");
        }
        stage.close().await;
    }

    async fn each_request_of_a_chain_of_redirects_has_the_answer_that_it_got(wire: browser::Protocol) {
        let site = Site::new().page("/", "<button id=b onclick=\"fetch('/first', {method: 'POST', body: 'x'}).finally(() => this.textContent = 'Done')\">Send</button>")
            .answers("/first", 307, &[("location", "/second")]).answers("/second", 307, &[("location", "/end")]).answers("/end", 403, &[]);
        let mut stage = Stage::open(wire, site).await;
        let acted = stage.click("b").await;
        let later = stage.page.observe().await.unwrap();
        let requests = evaluation::requests::merge(acted.observation.requests.into_iter().chain(later.requests));
        let told: Vec<_> = requests.iter().filter(|request| request.method == "POST").map(|request| request.status).collect();
        assert_eq!(told, [Some(307), Some(307), Some(403)], "{requests:#?}");
        stage.close().await;
    }
}
