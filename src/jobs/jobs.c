/* The table of the jobs that need C besides SQL. */
#include "jobs/jobs.h"
#include "jobs/shared/below_members.h"
#include "jobs/shared/placeholder.h"
#include "jobs/users.destroy/users_destroy.h"

const JobCode JOB_CODE[] = {
  { "ci.delete_objects", .plan = schedule_objects_plan, .errand = &delete_objects_errand,
    .uses_bucket = TRUE },
  { "ci.schedule_delete_objects", schedule_objects_step, schedule_objects_plan },
  { "groups.adjourned_deletion", NULL, adjourned_plan },
  { "groups.destroy", destroy_group_step, .foresee = destroy_group_foresee,
    .on_failure = "unmark" },
  { "members.prune_deletions", prune_step, prune_plan, .below = below_members_go_first,
    .foresee = prune_foresee },
  { "members.remove_expired", .below = below_members_go_first },
  { "members.schedule_prune_deletions", schedule_prune_step, schedule_prune_plan },
  { "users.delete_placeholder", delete_placeholder_step, .on_failure = PLACEHOLDER_ENDED },
  { "users.destroy", users_destroy_step, .sets = TRUE, .foresee = users_destroy_foresee,
    .on_failure = PLACEHOLDER_ENDED },
  { NULL, NULL, NULL },
};
