CREATE TABLE `avatar_files` (
	`account` text NOT NULL,
	`avatar_id` text NOT NULL,
	`filename` text NOT NULL,
	`role` text NOT NULL,
	`tone` text,
	`content_type` text NOT NULL,
	`size` integer NOT NULL,
	`sha256` text NOT NULL,
	`stored_at` integer,
	PRIMARY KEY(`account`, `avatar_id`, `filename`)
);
--> statement-breakpoint
CREATE TABLE `avatar_volumes` (
	`account` text NOT NULL,
	`avatar_id` text NOT NULL,
	`weights_volume` text NOT NULL,
	PRIMARY KEY(`account`, `avatar_id`, `weights_volume`)
);
--> statement-breakpoint
CREATE TABLE `clips` (
	`account` text NOT NULL,
	`avatar_id` text NOT NULL,
	`tone` text NOT NULL,
	`state` text NOT NULL,
	`variant_id` text NOT NULL,
	`duration_s` real,
	`detail` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`account`, `avatar_id`, `tone`)
);
--> statement-breakpoint
CREATE TABLE `erasure_media` (
	`erasure_id` text NOT NULL,
	`prefix` text NOT NULL,
	`closes_at` integer NOT NULL,
	PRIMARY KEY(`erasure_id`, `prefix`)
);
--> statement-breakpoint
CREATE INDEX `erasure_media_by_close` ON `erasure_media` (`closes_at`);--> statement-breakpoint
CREATE TABLE `erasure_volumes` (
	`erasure_id` text NOT NULL,
	`weights_volume` text NOT NULL,
	`pending` integer NOT NULL,
	PRIMARY KEY(`erasure_id`, `weights_volume`)
);
--> statement-breakpoint
CREATE INDEX `erasure_volumes_by_volume` ON `erasure_volumes` (`weights_volume`,`pending`);--> statement-breakpoint
CREATE TABLE `erasures` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`avatar_id` text NOT NULL,
	`consent_id` text,
	`erased_at` integer NOT NULL,
	`registry_pending` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `erasures_by_avatar` ON `erasures` (`account`,`avatar_id`,`erased_at`);--> statement-breakpoint
CREATE INDEX `erasures_by_registry` ON `erasures` (`registry_pending`,`erased_at`);--> statement-breakpoint
CREATE TABLE `public_avatars` (
	`avatar_id` text NOT NULL,
	`account` text NOT NULL,
	`published_at` integer NOT NULL,
	PRIMARY KEY(`avatar_id`, `account`)
);
--> statement-breakpoint
CREATE TABLE `box_launches` (
	`box_id` text PRIMARY KEY NOT NULL,
	`region` text NOT NULL,
	`secret_digest` text NOT NULL,
	`started_by` text NOT NULL,
	`started_at` integer NOT NULL,
	`stopped_at` integer
);
--> statement-breakpoint
CREATE INDEX `box_launches_by_secret` ON `box_launches` (`secret_digest`);--> statement-breakpoint
CREATE TABLE `media_removals` (
	`prefix` text PRIMARY KEY NOT NULL,
	`since` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `portraits` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`persona` text NOT NULL,
	`attempt` integer NOT NULL,
	`parent_id` text,
	`sha256` text NOT NULL,
	`created_at` integer NOT NULL,
	`approved_at` integer
);
--> statement-breakpoint
CREATE INDEX `portraits_by_account` ON `portraits` (`account`,`created_at`);--> statement-breakpoint
CREATE INDEX `portraits_unapproved` ON `portraits` (`created_at`) WHERE approved_at IS NULL;--> statement-breakpoint
CREATE TABLE `still_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`state` text NOT NULL,
	`upload_id` text NOT NULL,
	`note` text,
	`look` text,
	`portal_origin` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`identity_checked` integer DEFAULT false NOT NULL,
	`identity_score` real,
	`error` text,
	`message` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `still_jobs_by_age` ON `still_jobs` (`created_at`);--> statement-breakpoint
CREATE INDEX `still_jobs_by_account` ON `still_jobs` (`account`,`created_at`);--> statement-breakpoint
CREATE TABLE `uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`files` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`claimed_at` integer
);
--> statement-breakpoint
CREATE INDEX `uploads_by_expiry` ON `uploads` (`expires_at`);--> statement-breakpoint
CREATE INDEX `uploads_by_account` ON `uploads` (`account`,`expires_at`);--> statement-breakpoint
CREATE TABLE `erased_sessions` (
	`session_id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`erased_at` integer NOT NULL,
	`sweep_at` integer
);
--> statement-breakpoint
CREATE TABLE `recordings` (
	`session_id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`content_type` text NOT NULL,
	`size` integer NOT NULL,
	`sha256` text NOT NULL,
	`terms_version` text NOT NULL,
	`terms_digest` text NOT NULL,
	`agreed_at` integer NOT NULL,
	`granted_at` integer NOT NULL,
	`stored_at` integer
);
--> statement-breakpoint
CREATE INDEX `recordings_awaited` ON `recordings` (`granted_at`) WHERE stored_at IS NULL;--> statement-breakpoint
CREATE TABLE `transcript_lines` (
	`session_id` text NOT NULL,
	`number` integer NOT NULL,
	`role` text NOT NULL,
	`content` text NOT NULL,
	`tone` text,
	`at` integer NOT NULL,
	PRIMARY KEY(`session_id`, `number`)
);
--> statement-breakpoint
CREATE INDEX `transcript_lines_of_users` ON `transcript_lines` (`session_id`,`number`) WHERE role = 'user';--> statement-breakpoint
CREATE TABLE `usage` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`box_id` text NOT NULL,
	`session_id` text,
	`kind` text NOT NULL,
	`seconds` real NOT NULL,
	`turns` integer NOT NULL,
	`at` integer NOT NULL,
	`labels` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `usage_by_account` ON `usage` (`account`,`at`);--> statement-breakpoint
CREATE INDEX `usage_by_session` ON `usage` (`session_id`);--> statement-breakpoint
CREATE TABLE `model_probes` (
	`model` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`reason` text NOT NULL,
	`probed_at` integer NOT NULL,
	`flags` text,
	`measured_at` integer
);
--> statement-breakpoint
CREATE TABLE `builtin_voices` (
	`id` text PRIMARY KEY NOT NULL,
	`row` text NOT NULL,
	`sampled` integer DEFAULT false NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `preview_calls` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `preview_calls_by_account` ON `preview_calls` (`account`,`at`);--> statement-breakpoint
CREATE TABLE `voice_defaults` (
	`account` text PRIMARY KEY NOT NULL,
	`engine` text NOT NULL,
	`voice_id` text NOT NULL,
	`display_name` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `voice_keys` (
	`account` text NOT NULL,
	`provider` text NOT NULL,
	`sealed` text NOT NULL,
	`last4` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`validated` integer,
	`validated_at` integer,
	PRIMARY KEY(`account`, `provider`)
);
--> statement-breakpoint
DROP INDEX `sessions_by_account`;--> statement-breakpoint
ALTER TABLE `sessions` ADD `model` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `voice` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `persona` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `title` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `notes` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `tags` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `starred` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `sessions_by_avatar` ON `sessions` (`account`,`avatar_id`);--> statement-breakpoint
CREATE INDEX `sessions_live` ON `sessions` (`started_at`) WHERE ended_at IS NULL;--> statement-breakpoint
CREATE INDEX `sessions_by_account` ON `sessions` (`account`,`started_at`,`id`);--> statement-breakpoint
ALTER TABLE `avatars` ADD `archive_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `avatars` ADD `source_filename` text;--> statement-breakpoint
ALTER TABLE `avatars` ADD `source_sha256` text;--> statement-breakpoint
ALTER TABLE `avatars` ADD `framing` text;--> statement-breakpoint
ALTER TABLE `avatars` ADD `consent_id` text;--> statement-breakpoint
ALTER TABLE `avatars` ADD `build` text;--> statement-breakpoint
ALTER TABLE `avatars` ADD `made_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `boxes` ADD `lease_openings` integer DEFAULT 0 NOT NULL;