/* The cursor with which the run continues. */
#include "destroy.h"

void
users_destroy_continue (const Destroy *destroy, const char *stage, json_t *fields)
{
  json_t *cursor
      = json_pack ("{s:s, s:s*, s:s*, s:b}", "stage", stage, "ghost_id", destroy->ghost_id,
                   "user_type", destroy->user_type, "migration", destroy->migration);
  if (destroy->looks > 0)
    json_object_set_new (cursor, "looks", json_integer (destroy->looks));
  if (fields != NULL)
    json_object_update (cursor, fields);
  g_clear_pointer (&fields, json_decref);
  step_continue (destroy->step, cursor, 0);
}
