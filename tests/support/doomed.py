"""A group that is due for deletion, with a subgroup and a project, next to a group that stays."""

from .instance import Tenant
from .places import ROLE

JOB, CHILD = "groups.adjourned_deletion", "groups.destroy"


class Doomed(Tenant):
    """Ids of what doom() makes."""

    actor: int  # an administrator, who marked `top` for deletion
    top: int
    sub: int  # below it
    project_id: int  # in `sub`
    neighbour: int  # a group that stays
    other_project: int  # in `neighbour`


def doom(tenant):
    tenant = Doomed.of(tenant)
    tenant.period(7)
    tenant.actor = tenant.user(admin=True)
    tenant.top = tenant.group()
    tenant.sub = tenant.group(parent=tenant.top)
    tenant.project_id = tenant.project(tenant.sub)
    tenant.neighbour = tenant.group()
    tenant.other_project = tenant.project(tenant.neighbour)
    return tenant


def destroy(tenant, **settings):
    """Deletes the group. Returns the finished run."""
    tenant.mark(tenant.top, tenant.actor, 30)
    tenant.tick(JOB, **{f"jobs.{JOB}.spacing_ms": 0}, **settings)
    (run,) = tenant.runs(CHILD)
    return run


def audited(tenant, table, action="deleted"):
    return sorted(tenant.database.column(
        "SELECT jsonb_array_elements(keys) FROM pruned.deletions WHERE table_name = %s AND action = %s", [table, action]))


def keep(tenant, table, action, when="true"):
    """A trigger swallows what the daemon does."""
    tenant.database.connection.execute(f"""
        CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF session_user = '{ROLE}' THEN RETURN NULL; END IF; RETURN coalesce(NEW, OLD); END $$;
        CREATE TRIGGER keep BEFORE {action} ON {table} FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION keep()""")
