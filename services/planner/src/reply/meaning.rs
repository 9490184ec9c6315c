//! What a field of a reply means, whatever a planner calls it.

/// The meaning of a field. It stands in the schema as the field's `title`, so that whoever reads only the schema knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Meaning {
    /// Whether to go on: [`super::Status`].
    Status,
    /// The number of a listed action.
    Choice,
    /// What the chosen action is for, in words.
    Description,
    /// Why, in words.
    Reason,
    /// The answer that the task asks for.
    Answer,
    /// What goes into the chosen action: text for a field, keys, an address, the label of an option.
    Content,
    /// Whether Enter follows.
    Submit,
    /// Further fields, each with its number and what goes into it.
    Fields,
    /// Numbers of options of a list.
    Options,
    /// The number of any action of the element that something is dropped on.
    Target,
    /// What the page shows, in words.
    Summary,
    /// Actions in order.
    Steps,
    /// Actions of which one is to be next, the best first.
    Candidates,
    /// What is to be done next, in a sentence.
    NextStep,
    /// How much of the task is done: [`super::Progress`].
    Progress,
    /// A task in words, with everything that it leaves open made up.
    Task,
    /// What each of the elements that are shown is for, in their order.
    Descriptions,
    /// What is wrong with a plan, in words; nothing where it is right.
    Critique,
    /// What must be seen after a step, in words.
    Expectation,
    /// The value that a step of a plan left open.
    Slot,
    /// The number of a step that was wrong.
    Mistake,
    /// A rule for the next time, in words.
    Rule,
    /// Whether what was expected can be seen.
    Holds,
    /// What a later step needs and only a page will show: a name, a colon, and what it is.
    Gap,
}

impl Meaning {
    const ALL: [Meaning; 24] = [
        Meaning::Status,
        Meaning::Choice,
        Meaning::Description,
        Meaning::Reason,
        Meaning::Answer,
        Meaning::Content,
        Meaning::Submit,
        Meaning::Fields,
        Meaning::Options,
        Meaning::Target,
        Meaning::Summary,
        Meaning::Steps,
        Meaning::Candidates,
        Meaning::NextStep,
        Meaning::Progress,
        Meaning::Task,
        Meaning::Descriptions,
        Meaning::Critique,
        Meaning::Expectation,
        Meaning::Slot,
        Meaning::Mistake,
        Meaning::Rule,
        Meaning::Holds,
        Meaning::Gap,
    ];

    /// The `title` of a field of this meaning.
    pub const fn title(self) -> &'static str {
        match self {
            Meaning::Status => "status",
            Meaning::Choice => "choice",
            Meaning::Description => "description",
            Meaning::Reason => "reason",
            Meaning::Answer => "answer",
            Meaning::Content => "content",
            Meaning::Submit => "submit",
            Meaning::Fields => "fields",
            Meaning::Options => "options",
            Meaning::Target => "target",
            Meaning::Summary => "summary",
            Meaning::Steps => "steps",
            Meaning::Candidates => "candidates",
            Meaning::NextStep => "next step",
            Meaning::Progress => "progress",
            Meaning::Task => "task",
            Meaning::Descriptions => "descriptions",
            Meaning::Critique => "critique",
            Meaning::Expectation => "expectation",
            Meaning::Slot => "slot",
            Meaning::Mistake => "mistake",
            Meaning::Rule => "rule",
            Meaning::Holds => "holds",
            Meaning::Gap => "gap",
        }
    }

    /// The meaning of a `title`.
    pub fn of_title(title: &str) -> Option<Meaning> {
        Meaning::ALL.into_iter().find(|meaning| meaning.title() == title)
    }

    /// Whether it is talk, which may be cut where it is longer than its bound: nothing is done with it.
    pub(super) fn is_talk(self) -> bool {
        matches!(self, Meaning::Description | Meaning::Reason | Meaning::Summary | Meaning::Critique)
    }

    /// Its place where the reason comes first and the choice last.
    pub(super) fn place_by_reason(self) -> u8 {
        match self {
            Meaning::Reason | Meaning::Summary | Meaning::Critique | Meaning::Mistake => 0,
            Meaning::Description => 1,
            Meaning::Status | Meaning::Progress | Meaning::Holds => 3,
            Meaning::Choice | Meaning::Steps | Meaning::Candidates => 4,
            Meaning::Fields => 5,
            Meaning::Answer
            | Meaning::Content
            | Meaning::Submit
            | Meaning::Options
            | Meaning::Target
            | Meaning::NextStep
            | Meaning::Task
            | Meaning::Descriptions
            | Meaning::Expectation
            | Meaning::Slot
            | Meaning::Gap
            | Meaning::Rule => 2,
        }
    }
}
