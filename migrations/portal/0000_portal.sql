CREATE TABLE `avatars` (
	`account` text NOT NULL,
	`avatar_id` text NOT NULL,
	`name` text,
	`source_kind` text NOT NULL,
	`state` text NOT NULL,
	`detail` text NOT NULL,
	`prepared_in_region` text NOT NULL,
	`weights_volume` text NOT NULL,
	`visibility` text DEFAULT 'private' NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`account`, `avatar_id`)
);
--> statement-breakpoint
CREATE TABLE `boxes` (
	`box_id` text PRIMARY KEY NOT NULL,
	`public_url` text NOT NULL,
	`region` text NOT NULL,
	`state` text NOT NULL,
	`room` text,
	`capacity` integer NOT NULL,
	`avatars_warm` text NOT NULL,
	`build_known` integer NOT NULL,
	`build_short_commit` text NOT NULL,
	`session_id` text,
	`heartbeat_at` integer NOT NULL,
	`drained` integer DEFAULT false NOT NULL,
	`lease_account` text,
	`lease_expires_at` integer,
	`lease_session` text
);
--> statement-breakpoint
CREATE INDEX `boxes_by_lease` ON `boxes` (`lease_account`);--> statement-breakpoint
CREATE TABLE `credentials` (
	`digest` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`scope` text NOT NULL,
	`account` text NOT NULL,
	`name` text NOT NULL,
	`last4` text NOT NULL,
	`parent` text,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`revoked_by` text
);
--> statement-breakpoint
CREATE INDEX `credentials_by_account` ON `credentials` (`account`,`kind`,`created_at`);--> statement-breakpoint
CREATE INDEX `credentials_by_parent` ON `credentials` (`parent`);--> statement-breakpoint
CREATE INDEX `credentials_by_expiry` ON `credentials` (`expires_at`);--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`recipient` text NOT NULL,
	`subject` text NOT NULL,
	`body` text NOT NULL,
	`link` text,
	`sent_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `portal_sessions` (
	`digest` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `portal_sessions_by_expiry` ON `portal_sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `revocations` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`digest` text NOT NULL,
	`revoked_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`box_id` text NOT NULL,
	`kind` text NOT NULL,
	`avatar_id` text NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	`end_reason` text,
	`turns` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sessions_by_account` ON `sessions` (`account`,`started_at`);--> statement-breakpoint
CREATE TABLE `settings` (
	`account` text PRIMARY KEY NOT NULL,
	`record` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `signin_links` (
	`digest` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `signin_requests` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`address` text NOT NULL,
	`client` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `signin_requests_by_address` ON `signin_requests` (`address`,`at`);--> statement-breakpoint
CREATE INDEX `signin_requests_by_client` ON `signin_requests` (`client`,`at`);