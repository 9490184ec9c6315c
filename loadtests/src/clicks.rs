//! A small page that counts clicks: the job of ten steps with which shared browsers are measured. Pure.
//!
//! Some pages refuse to go on half-way, so that not every job has the same verdict.

/// Clicks that a job makes.
pub const CLICKS: u32 = 10;

/// Path of a page.
pub fn path(number: u32) -> String {
    format!("/clicks/{number}")
}

/// Clicks that a page counts before it counts no more.
pub fn limit(number: u32) -> u32 {
    if number % 4 == 3 { 7 } else { CLICKS }
}

/// Its document.
pub fn html(number: u32) -> String {
    let limit = limit(number);
    let rows: String = (1..=20).map(|row| format!("<li>Line {row} of order {number}</li>")).collect();
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>Order {number}</title></head><body>\
         <h1>Order {number}</h1><p id=count>0 confirmed</p><button id=next>Confirm</button><ul>{rows}</ul><script>\
         var clicks = 0; document.getElementById('next').onclick = () => {{ if (clicks < {limit}) clicks += 1;\
         document.cookie = 'clicks=' + clicks; localStorage.clicks = clicks;\
         document.getElementById('count').textContent = clicks + ' confirmed'; }};</script></body></html>"
    )
}
