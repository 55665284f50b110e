"""Jobs by name, alone or with all that they start."""

from . import groups, members, objects, placeholders, users

JOBS = {
    "members.remove_expired": members.remove_expired,
    "members.schedule_prune_deletions": members.schedule_prune_deletions,
    "members.prune_deletions": members.prune_deletions,
    "groups.adjourned_deletion": groups.adjourned_deletion,
    "groups.destroy": groups.destroy,
    "imports.placeholder_cleanup": placeholders.cleanup,
    "users.delete_placeholder": placeholders.delete_placeholder,
    "users.destroy": users.destroy,
    "users.refresh_authorizations": users.refresh_authorizations,
    "ci.schedule_delete_objects": objects.schedule,
    "ci.delete_objects": objects.delete_slot,
}
EVENTS = {
    "MemberExpirySet": members.expiry_due,
    "MemberDeletionScheduled": members.prune_deletions,
    "PlaceholderUserOrphaned": placeholders.orphaned,
    "ObjectsMarkedForDeletion": objects.schedule,
}


def run_job(db, job, t, args=None, **options):
    """Does all steps of one run: of a job, or the run that an event starts. Changes `db`."""
    return {**JOBS, **EVENTS}[job](db, t, args or {}, **options)


def run_to_end(db, job, t, args=None, **options):
    """Does the run, then its child runs and theirs, as they become due. Returns a list of (job,
    args, Expected)."""
    done, queue = [], [(0, 0, job, args or {}, options)]
    while queue:
        queue.sort(key=lambda entry: entry[:2])
        due, _, name, its_args, its_options = queue.pop(0)
        expected = run_job(db, name, t, its_args, **its_options)
        done.append((name, its_args, expected))
        for child in expected.children:
            queue.append((due + child.delay_s, len(done) + len(queue), child.job, child.args, {}))
    return done
