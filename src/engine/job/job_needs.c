#include "engine/job/job_needs.h"

#include "pg/quoted.h"

#include <string.h>

void
job_needs_bind (const Job *job, PgValues *values)
{
  GString *relations = array_new (), *names = array_new ();
  for (char **need = job->needs; *need != NULL; need++) {
    const char *dot = strrchr (*need, '.');
    g_autofree char *table = dot != NULL ? g_strndup (*need, (gsize)(dot - *need)) : NULL,
                    *column = dot != NULL ? quoted_bare (dot + 1) : NULL;
    array_add (relations, table != NULL ? table : *need);
    array_add (names, column != NULL ? column : "");
  }
  pg_values_take (values, "relation", array_take (relations));
  pg_values_take (values, "name", array_take (names));
}
