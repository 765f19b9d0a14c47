//! Every combination of features of every member must build.

use crate::metadata::Package;

/// A feature that changes nothing in the code, and the member that has it: it makes the dependencies of one package those of the
/// whole workspace, which are compiled already.
pub(crate) const SHARED: (&str, &str) = ("eocc-python", "shared");

/// The words for cargo to check each set of a member's features, but for all at once, which the lints of the workspace are
/// run with.
pub(crate) fn lints(packages: &[Package]) -> Vec<String> {
    let (package, feature) = SHARED;
    let lints = |(member, set): (&str, Vec<String>)| {
        let set = [set, vec![format!("{package}/{feature}")]].concat().join(",");
        format!(
            "clippy --quiet --package {member} --package {package} --no-default-features --features {set} -- -D warnings"
        )
    };
    combinations(packages).filter(|(_, set, all)| set.len() < *all).map(|(m, s, _)| lints((m, s))).collect()
}

/// The words for cargo to check each set of a member's features without the rest of the workspace, as a project would that
/// depends on it: in a larger build a crate may live on features that its neighbours ask for. This takes minutes.
pub(crate) fn checks_alone(packages: &[Package]) -> Vec<String> {
    let check = |(member, set, _): (&str, Vec<String>, usize)| {
        format!("check --quiet --package {member} --no-default-features --features={}", set.join(","))
    };
    combinations(packages).map(check).collect()
}

/// Each member with each set of its features, and how many it has.
fn combinations(packages: &[Package]) -> impl Iterator<Item = (&str, Vec<String>, usize)> {
    packages.iter().filter(|p| p.is_member).flat_map(|member| {
        let features: Vec<String> = (member.features.iter())
            .filter(|feature| (member.name.as_str(), feature.as_str()) != SHARED)
            .map(|feature| format!("{}/{feature}", member.name))
            .collect();
        let all = features.len();
        (0..1u32 << all).map(move |bits| {
            let chosen = features.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
            (member.name.as_str(), chosen.map(|(_, feature)| feature.clone()).collect(), all)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::version;

    fn member(name: &str, features: &[&str]) -> Package {
        Package {
            name: name.to_owned(),
            version: version("1").unwrap(),
            licence: None,
            source: None,
            rust_version: None,
            features: features.iter().map(|&f| f.to_owned()).collect(),
            is_member: true,
        }
    }

    #[test]
    fn all_sets_of_features_are_there() {
        let members = [member("a", &["x", "y"]), member("b", &[]), member(SHARED.0, &[SHARED.1])];
        let sets: Vec<(&str, String)> =
            combinations(&members).map(|(m, set, _)| (m, set.join(","))).collect();
        let expected = [("a", ""), ("a", "a/x"), ("a", "a/y"), ("a", "a/x,a/y"), ("b", ""), (SHARED.0, "")];
        assert_eq!(sets, expected.map(|(m, s)| (m, s.to_owned())));
        assert_eq!(lints(&members).len(), 3);
        assert_eq!(checks_alone(&members).len(), 6);
    }
}
