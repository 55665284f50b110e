/* What each command's file provides for the table in src/main.c.
 * Threads: main only.
 */
#pragma once
#include "cli/command.h"

ExitCode command_approve (Cli *cli, GError **error);
ExitCode command_bench (Cli *cli, GError **error);
ExitCode command_check (Cli *cli, GError **error);
ExitCode command_config (Cli *cli, GError **error);
ExitCode command_dead (Cli *cli, GError **error);
ExitCode command_demo (Cli *cli, GError **error);
ExitCode command_discard (Cli *cli, GError **error);
ExitCode command_doctor (Cli *cli, GError **error);
ExitCode command_emit (Cli *cli, GError **error);
ExitCode command_fleet (Cli *cli, GError **error);
ExitCode command_forget (Cli *cli, GError **error);
ExitCode command_go (Cli *cli, GError **error);
ExitCode command_grants (Cli *cli, GError **error);
ExitCode command_jobs (Cli *cli, GError **error);
ExitCode command_hold (Cli *cli, GError **error);
ExitCode command_holds (Cli *cli, GError **error);
ExitCode command_journal (Cli *cli, GError **error);
ExitCode command_migrate (Cli *cli, GError **error);
ExitCode command_night (Cli *cli, GError **error);
ExitCode command_names (Cli *cli, GError **error);
ExitCode command_new (Cli *cli, GError **error);
ExitCode command_pause (Cli *cli, GError **error);
ExitCode command_plan (Cli *cli, GError **error);
ExitCode command_processes (Cli *cli, GError **error);
ExitCode command_quarantine (Cli *cli, GError **error);
ExitCode command_reapply (Cli *cli, GError **error);
ExitCode command_report (Cli *cli, GError **error);
ExitCode command_replay (Cli *cli, GError **error);
ExitCode command_restore (Cli *cli, GError **error);
ExitCode command_resume (Cli *cli, GError **error);
ExitCode command_retry (Cli *cli, GError **error);
ExitCode command_run (Cli *cli, GError **error);
ExitCode command_runs (Cli *cli, GError **error);
ExitCode command_schemas (Cli *cli, GError **error);
ExitCode command_status (Cli *cli, GError **error);
ExitCode command_release (Cli *cli, GError **error);
ExitCode command_reload (Cli *cli, GError **error);
ExitCode command_stop (Cli *cli, GError **error);
ExitCode command_tick (Cli *cli, GError **error);
ExitCode command_topics (Cli *cli, GError **error);
ExitCode command_verify (Cli *cli, GError **error);
ExitCode command_version (Cli *cli, GError **error);
ExitCode command_who (Cli *cli, GError **error);
ExitCode command_why (Cli *cli, GError **error);

extern const GOptionEntry approve_options[], check_options[], config_options[], dead_options[],
    demo_options[], discard_options[], doctor_options[], emit_options[], fleet_options[],
    forget_options[], go_options[], grants_options[], hold_options[], holds_options[],
    release_options[], jobs_options[], journal_options[], migrate_options[], new_options[],
    night_options[], pause_options[], plan_options[], quarantine_options[], reapply_options[],
    replay_options[], report_options[], restore_options[], resume_options[], reload_options[],
    retry_options[], run_options[], runs_options[], status_options[], stop_options[],
    tick_options[], topics_options[], verify_options[], version_options[], who_options[];
extern const char bench_more[], check_more[], run_choice_more[], dead_more[], forget_more[],
    grants_more[], fleet_more[], hold_more[], release_more[], jobs_more[], journal_more[],
    names_more[], new_more[], night_more[], pause_more[], resume_more[], plan_more[],
    reapply_more[], reload_more[], replay_more[], report_more[], restore_more[], schemas_more[],
    stop_more[], topics_more[], verify_more[], who_more[], why_more[];
