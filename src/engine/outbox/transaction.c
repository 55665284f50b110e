#include "engine/outbox/transaction.h"

#include "base/fault.h"

gboolean
transaction_begin (Transaction *transaction, Publisher *publisher, Pg *pg, GError **error)
{
  *transaction = (Transaction){ publisher, pg, NULL };
  return pg_begin (pg, error) && publisher_remove_sent (publisher, pg, &transaction->riding, error);
}

gboolean
transaction_flush (Transaction *transaction, GError **error)
{
  return transaction->riding == NULL
         || (pg_flush (transaction->pg, error) && pg_finish (transaction->pg, error));
}

gboolean
transaction_commit (Transaction *transaction, GError **error)
{
  FAULT ("step.before_commit");
  if (!pg_commit (transaction->pg, error))
    return FALSE;
  FAULT ("step.after_commit");
  publisher_removed (transaction->publisher, g_steal_pointer (&transaction->riding));
  return TRUE;
}

void
transaction_rollback (Transaction *transaction)
{
  pg_rollback (transaction->pg);
  publisher_keep (transaction->publisher, g_steal_pointer (&transaction->riding));
}

gboolean
transaction_remove_sent (Publisher *publisher, Pg *pg, GError **error)
{
  GPtrArray *riding = NULL;
  if (!publisher_owes (publisher))
    return TRUE;
  gboolean ok = pg_begin (pg, error) && publisher_remove_sent (publisher, pg, &riding, error)
                && (riding == NULL || (pg_flush (pg, error) && pg_finish (pg, error)))
                && pg_commit (pg, error);
  if (ok)
    publisher_removed (publisher, riding);
  else
    publisher_keep (publisher, riding);
  return ok;
}
