//! Assigns partitions to the members of consumer groups, for logs within one process. A partition changes hands only
//! after its owner released it: at its next read, or when it is dropped. Nothing here waits or reads.

use domain::storage::log::Topic;
use std::collections::{BTreeMap, BTreeSet};

/// A member of a group, numbered in order of joining.
pub(super) type Member = u64;

/// All groups of a log.
#[derive(Debug, Default)]
pub(super) struct Groups {
    groups: BTreeMap<String, Group>,
    joined: Member,
}

#[derive(Debug, Default)]
struct Group {
    members: BTreeMap<Member, BTreeSet<Topic>>,
    owners: BTreeMap<(Topic, u32), Member>,
    /// Index of the member that gets the first partition.
    turn: usize,
}

impl Groups {
    /// Adds a member that reads these topics.
    pub(super) fn join(&mut self, group: &str, topics: &[Topic]) -> Member {
        self.joined += 1;
        let members = &mut self.groups.entry(group.to_owned()).or_default().members;
        members.insert(self.joined, topics.iter().copied().collect());
        self.joined
    }

    /// Removes a member and frees its partitions.
    pub(super) fn leave(&mut self, group: &str, member: Member) {
        let Some(found) = self.groups.get_mut(group) else { return };
        found.members.remove(&member);
        found.owners.retain(|_, owner| *owner != member);
        if found.members.is_empty() {
            self.groups.remove(group);
        }
    }

    /// Rebalances a member: returns its partitions, and whether it released any. It gets an even share of each topic,
    /// minus partitions that others have not released yet.
    pub(super) fn rebalance(&mut self, group: &str, member: Member, partitions: u32) -> (BTreeSet<(Topic, u32)>, bool) {
        let Some(found) = self.groups.get_mut(group) else { return Default::default() };
        let mut owned = BTreeSet::new();
        let mut let_go = false;
        for &topic in Topic::ALL {
            let readers: Vec<Member> = found.readers(topic).collect();
            if !readers.contains(&member) {
                continue;
            }
            for (partition, due) in (0..partitions).zip(readers.iter().cycle().skip(found.turn % readers.len())) {
                let place = (topic, partition);
                let owner = found.owners.get(&place).copied();
                if owner == Some(member) && *due != member {
                    found.owners.remove(&place);
                    let_go = true;
                } else if *due == member && owner.is_none_or(|owner| owner == member) {
                    found.owners.insert(place, member);
                    owned.insert(place);
                }
            }
        }
        (owned, let_go)
    }

    /// Revokes all partitions and rotates the members, so that partitions go to others where possible, as a broker does
    /// with members that missed their heartbeat.
    pub(super) fn revoke_all(&mut self) {
        for group in self.groups.values_mut() {
            group.owners.clear();
            group.turn += 1;
        }
    }
}

impl Group {
    fn readers(&self, topic: Topic) -> impl Iterator<Item = Member> {
        self.members.iter().filter(move |(_, topics)| topics.contains(&topic)).map(|(member, _)| *member)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(groups: &mut Groups, member: Member) -> Vec<u32> {
        groups.rebalance("readers", member, 4).0.into_iter().map(|(_, partition)| partition).collect()
    }

    #[test]
    fn a_partition_changes_hands_only_when_its_owner_has_let_go_of_it() {
        let mut groups = Groups::default();
        let first = groups.join("readers", &[Topic::Jobs]);
        assert_eq!(owned(&mut groups, first), [0, 1, 2, 3]);
        let second = groups.join("readers", &[Topic::Jobs]);
        assert_eq!(owned(&mut groups, second), [0; 0], "the first has not let go yet");
        assert!(groups.rebalance("readers", first, 4).1, "it lets go of something");
        assert_eq!(owned(&mut groups, first), [0, 2]);
        assert_eq!(owned(&mut groups, second), [1, 3]);
        groups.leave("readers", first);
        assert_eq!(owned(&mut groups, second), [0, 1, 2, 3]);
    }

    #[test]
    fn after_an_upset_partitions_go_to_another_member_who_need_not_wait() {
        let mut groups = Groups::default();
        let (first, second) = (groups.join("readers", &[Topic::Jobs]), groups.join("readers", &[Topic::Jobs]));
        assert_eq!((owned(&mut groups, first), owned(&mut groups, second)), (vec![0, 2], vec![1, 3]));
        groups.revoke_all();
        assert_eq!((owned(&mut groups, second), owned(&mut groups, first)), (vec![0, 2], vec![1, 3]));
    }

    #[test]
    fn members_own_only_what_they_asked_for_and_groups_do_not_disturb_each_other() {
        let mut groups = Groups::default();
        let reader = groups.join("readers", &[Topic::Jobs]);
        let other = groups.join("others", &[Topic::Jobs, Topic::Outcomes]);
        assert_eq!(owned(&mut groups, reader), [0, 1, 2, 3]);
        assert_eq!(groups.rebalance("others", other, 2).0.len(), 4);
    }
}
