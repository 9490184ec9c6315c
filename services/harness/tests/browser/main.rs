//! The browser room with real browsers: the same cases over both wires.

use browser::{Browser, Options, ProfileOptions};
use domain::Page;
use domain::scope::Scope;
use harness::site::Site;

#[tokio::test]
async fn smoke() -> anyhow::Result<()> {
    let site = Site::new()
        .page("/", r#"<h1>Hi</h1><form><label>Name <input id=n name=n></label><select id=s><option>A<option>B</select><input type=checkbox id=c><label for=c>Tick</label><button type=button id=b onclick="setTimeout(()=>{out.textContent='late '+n.value+s.value},300)">Go</button></form><p id=out></p>"#)
        .start()
        .await;
    let browser = Browser::start(Options::default()).await?;
    let url = site.url("/").parse()?;
    let mut page = browser.profile(ProfileOptions { scope: Scope::of(&url), ..ProfileOptions::default() }).await?;
    page.open(&url).await?;
    let mut seen = page.observe().await?;
    println!("{}", serde_json::to_string_pretty(&seen)?);
    println!("{:?}", page.timing());
    let find = |seen: &domain::Observation, id: &str| seen.elements().find(|(_, n)| n.attribute("id") == id).unwrap().0;
    for action in [
        domain::Action::Type { element: find(&seen, "n"), text: "Bob Å".into(), submit: false },
        domain::Action::Select { element: find(&seen, "s"), options: vec!["B".into()] },
        domain::Action::Check { element: find(&seen, "c"), checked: true },
        domain::Action::click(find(&seen, "b")),
    ] {
        let acted = page.act(&action, &seen).await?;
        seen = acted.observation;
        println!("{action:?} -> {:?} {:?}", acted.effect, page.timing());
    }
    println!("{:?}", seen.node(find(&seen, "out")));
    page.close().await;
    browser.stop().await;
    Ok(())
}
