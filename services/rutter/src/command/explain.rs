//! `rutter explain`: the goals that an instruction comes to, before any page is seen.

use crate::cli::{Explain, Output};
use crate::exit::{Exit, Outcome};
use crate::print;
use planner::ground;

/// Prints the goals of an instruction.
pub(crate) fn execute(args: &Explain) -> Outcome {
    let goals = ground::explain(&args.instruction);
    match args.output.output {
        Output::Json => print::json(&goals)?,
        Output::Table if goals.is_empty() => print::text_out("nothing to do")?,
        Output::Table => print::text_out(&goals.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?,
    }
    Ok(Exit::Success)
}
