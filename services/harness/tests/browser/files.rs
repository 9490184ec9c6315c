//! Files that a task gives to a site, and files that a site gives.

use crate::kit::{Stage, on_both_wires};
use domain::action::ActionKind;
use domain::observation::Settled;
use domain::page::{Download, Page as _};
use domain::{Action, Effect};
use harness::site::Site;
use std::collections::BTreeMap;

on_both_wires! {
    async fn a_file_of_the_task_is_put_into_a_field_and_no_other_file_is(wire: browser::Protocol) {
        let file = tempfile::NamedTempFile::with_suffix(".txt").unwrap();
        let site = Site::new().page("/", r#"<input id=f type=file><p id=out></p>
            <script>f.onchange = () => out.textContent = f.files[0].name;</script>"#);
        let files = BTreeMap::from([("notes".to_owned(), file.path().to_owned()), ("gone".to_owned(), "/gone/a.txt".into())]);
        let mut stage = Stage::with_files(wire, site, files).await;
        assert!(stage.node("f").allows(ActionKind::Upload));
        for (named, cause) in [
            (file.path().to_str().unwrap(), "only files that the task names"),
            ("/etc/passwd", "only files that the task names"),
            ("${file:other}", "no file of the name `other`"),
            ("${file:gone}", "no file /gone/a.txt"),
        ] {
            let acted = stage.act(Action::Upload { element: stage.id("f"), files: vec![named.to_owned()] }).await;
            assert!(matches!(&acted.effect, Effect::Failed { cause: said, .. } if said.contains(cause)), "{:?}", acted.effect);
            assert_eq!(stage.text("out"), "");
        }
        stage.act(Action::Upload { element: stage.id("f"), files: vec!["${file:notes}".to_owned()] }).await;
        assert_eq!(stage.text("out"), file.path().file_name().unwrap().to_str().unwrap());
        stage.close().await;
    }

    async fn what_a_site_offers_for_download_comes_back_whatever_way_it_is_offered(wire: browser::Protocol) {
        let site = Site::new()
            .page("/", r#"<a id=plain href=/a.bin>a</a><a id=named href=/b.html download=kept.html>b</a>
                <a id=data href="data:text/csv,x%3By" download=d.csv>d</a><button id=made>m</button>
                <script>made.onclick = () => { const link = document.createElement('a');
                    link.href = URL.createObjectURL(new Blob([new Uint8Array([0, 255, 7])])); link.download = 'made.bin';
                    link.click(); URL.revokeObjectURL(link.href); };</script>"#)
            .file("/a.bin", "application/octet-stream", "of the site")
            .page("/b.html", "<p>a page");
        let mut stage = Stage::with_files(wire, site, BTreeMap::new()).await;
        for (id, name, content) in [
            ("plain", "a.bin", b"of the site".as_slice()),
            ("named", "kept.html", b"<p>a page"),
            ("data", "d.csv", b"x;y"),
            ("made", "made.bin", &[0, 255, 7]),
        ] {
            stage.click(id).await;
            assert_eq!(stage.seen.downloads, [name], "{id}");
            assert_eq!(stage.seen.settled, Settled::Quiet, "{id}");
            let kept = stage.page.take_downloads().await;
            let [Download { name: said, content: Ok(bytes), .. }] = &kept[..] else { panic!("{id}: {kept:?}") };
            assert_eq!(said, name);
            assert!(bytes.windows(content.len()).any(|part| part == content), "{id}: {bytes:?}");
        }
        assert!(stage.page.take_downloads().await.is_empty());
        stage.close().await;
    }

    async fn a_download_in_which_a_secret_stands_or_might_is_not_kept(wire: browser::Protocol) {
        let site = Site::new()
            .page("/", "<a id=open href=/open.txt>o</a><a id=said href=/said.txt>s</a><a id=packed href=/packed.bin>p</a>")
            .file("/open.txt", "application/octet-stream", "nothing of interest")
            .file("/said.txt", "application/octet-stream", "the password is hunter2!")
            .bytes("/packed.bin", &[("content-type", "application/octet-stream")], vec![0xff, 0xfe, 0x00]);
        let mut stage = Stage::keeping_a_secret(wire, site, "hunter2!").await;
        for (id, is_kept) in [("open", true), ("said", false), ("packed", false)] {
            stage.click(id).await;
            let kept = stage.page.take_downloads().await;
            let [Download { content, .. }] = &kept[..] else { panic!("{id}: {kept:?}") };
            assert_eq!(content.is_ok(), is_kept, "{id}: {content:?}");
        }
        stage.close().await;
    }

    async fn a_field_in_a_hidden_box_takes_a_file_where_one_button_stands_for_it(wire: browser::Protocol) {
        let file = tempfile::NamedTempFile::with_suffix(".txt").unwrap();
        let page = r#"<form><div hidden><span><input id=f type=file aria-label=Annex></span></div><p><button type=button id=k>Browse</button></p><button>Send</button></form>
            <form><div hidden><input id=g type=file aria-label=Other></div><button type=button>One</button><button type=button>Two</button></form><p id=out></p>
            <section><button type=button>New invoice</button><dialog><form><input id=h type=file aria-label=Scan></form></dialog></section>
            <script>k.onclick = () => f.click(); f.onchange = () => out.textContent = f.files[0].name;</script>"#;
        let files = BTreeMap::from([("notes".to_owned(), file.path().to_owned())]);
        let mut stage = Stage::with_files(wire, Site::new().page("/", page), files).await;
        assert_eq!((stage.node("f").name.as_str(), stage.node("f").role.as_str()), ("Annex", "button"));
        assert!(stage.try_id("g").is_none(), "two buttons may stand for it");
        assert!(stage.try_id("h").is_none(), "a closed dialog is for those who open it");
        stage.act(Action::Upload { element: stage.id("f"), files: vec!["${file:notes}".to_owned()] }).await;
        assert_eq!(stage.text("out"), file.path().file_name().unwrap().to_str().unwrap());
        stage.close().await;
    }

    async fn a_sample_of_an_exploration_that_is_gone_is_written_again(wire: browser::Protocol) {
        let page = "<input id=f type=file><p id=out></p><script>f.onchange = async () => out.textContent = await f.files[0].text();</script>";
        let gone = std::env::temp_dir().join("rutter-samples-gone").join("sample.txt");
        let name = gone.display().to_string();
        let mut stage = Stage::with_files(wire, Site::new().page("/", page), BTreeMap::from([(name.clone(), gone)])).await;
        stage.act(Action::Upload { element: stage.id("f"), files: vec![name] }).await;
        assert_eq!(stage.text("out"), "Written while exploring.");
        stage.close().await;
    }

    async fn a_profile_that_keeps_no_downloads_only_tells_of_them(wire: browser::Protocol) {
        let site = Site::new().page("/", "<a id=a href=/a.bin>a</a>").file("/a.bin", "application/octet-stream", "x");
        let mut stage = Stage::open(wire, site).await;
        stage.click("a").await;
        assert_eq!(stage.seen.downloads, ["a.bin"]);
        assert!(stage.page.take_downloads().await.is_empty());
        stage.close().await;
    }
}
