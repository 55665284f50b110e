#include "cli/own_rights.h"

#define ALL "SELECT, INSERT, UPDATE, DELETE"

const OwnRights own_rights[] = { { "approved_versions", "SELECT, INSERT, DELETE" },
                                 { "blocked", ALL },
                                 { "controls", "SELECT, INSERT, UPDATE" },
                                 { "days", "SELECT, INSERT, UPDATE" },
                                 { "dead_letters", ALL },
                                 { "dead_verdicts", ALL },
                                 { "deletions", "SELECT, INSERT" },
                                 { "dirty_users", ALL },
                                 { "erasure_key", "SELECT, INSERT, UPDATE" },
                                 { "event_ids", "SELECT, INSERT, DELETE" },
                                 { "held_tables", "SELECT" },
                                 { "holds", "SELECT, INSERT, DELETE" },
                                 { "identity", "SELECT" },
                                 { "intake", "SELECT, INSERT, UPDATE" },
                                 { "job_states", "SELECT, INSERT, UPDATE" },
                                 { "journal", "SELECT, INSERT" },
                                 { "keeping", "SELECT" },
                                 { "lost_messages", "SELECT, INSERT, UPDATE" },
                                 { "mode", "SELECT" },
                                 { "night_counts", ALL },
                                 { "nights", ALL },
                                 { "notices", ALL },
                                 { "overdue", ALL },
                                 { "overdue_days", ALL },
                                 { "page_acts", "SELECT, INSERT, DELETE" },
                                 { "partitions", ALL },
                                 { "plans", "SELECT, INSERT, DELETE" },
                                 { "processes", ALL },
                                 { "quarantine", ALL },
                                 { "readings", ALL },
                                 { "reapply", "SELECT, INSERT, DELETE" },
                                 { "reload", "SELECT, INSERT, UPDATE" },
                                 { "runs", ALL },
                                 { "runs_done", ALL },
                                 { "schedules", ALL },
                                 { "schema_version", "SELECT" },
                                 { "settings", ALL },
                                 { "stop", "SELECT, INSERT, UPDATE" },
                                 { "suspects", ALL },
                                 { "timers", ALL },
                                 { "unpublished", "SELECT, INSERT, DELETE" },
                                 { NULL } };

const char own_rights_functions[]
    = "pruned.ensure_day(text, date), pruned.drop_days(text, date),"
      " pruned.keep_at_least(text[], integer[]), pruned.forget_journal(),"
      " pruned.held_table(text), pruned.held_within(oid, text), pruned.held_match(oid),"
      " pruned.holds_follow(), pruned.holds_settle(), pruned.held_settled(text),"
      " pruned.held_sign(oid), pruned.held_key(oid), pruned.held_missed(text[], bigint[]),"
      " pruned.held_below(oid, text[], oid[], boolean, boolean),"
      " pruned.secret_columns(oid, text, jsonb), pruned.texts_of(oid),"
      " pruned.recorded(anyelement, text[]), pruned.recorded_table(text, text),"
      " pruned.read_back(text, oid, text, text, jsonb[])";

void
own_rights_values (PgValues *values)
{
  GString *names = array_new (), *rights = array_new ();
  for (const OwnRights *own = own_rights; own->table != NULL; own++) {
    array_add (names, own->table);
    array_add (rights, own->rights);
  }
  pg_values_take (values, "name", array_take (names));
  pg_values_take (values, "rights", array_take (rights));
}
