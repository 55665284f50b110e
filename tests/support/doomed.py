"""A group whose time has come, with a subgroup and a project, beside one that stays."""

JOB, CHILD = "groups.adjourned_deletion", "groups.destroy"


def doom(tenant):
    tenant.period(7)
    tenant.actor = tenant.user(admin=True)
    tenant.top = tenant.group()
    tenant.sub = tenant.group(parent=tenant.top)
    tenant.project_id = tenant.project(tenant.sub)
    tenant.neighbour = tenant.group()
    tenant.other_project = tenant.project(tenant.neighbour)
    return tenant


def destroy(tenant, **settings):
    """The run that destroys the group, once all is done."""
    tenant.mark(tenant.top, tenant.actor, 30)
    tenant.tick(JOB, **{f"jobs.{JOB}.spacing_ms": 0}, **settings)
    (run,) = tenant.runs(CHILD)
    return run


def audited(tenant, table, action="deleted"):
    return sorted(tenant.database.column(
        "SELECT jsonb_array_elements(keys) FROM pruned.deletions WHERE table_name = %s AND action = %s", [table, action]))
