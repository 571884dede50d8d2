CREATE TABLE `publication_consents` (
	`attestation_id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`avatar_id` text NOT NULL,
	`face` text NOT NULL,
	`terms_version` text NOT NULL,
	`terms_sha256` text NOT NULL,
	`attested_at` integer NOT NULL,
	`withdrawn_at` integer
);
--> statement-breakpoint
CREATE INDEX `publication_consents_by_avatar` ON `publication_consents` (`account`,`avatar_id`,`attested_at`);--> statement-breakpoint
CREATE TABLE `upload_consents` (
	`consent_id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`sha256` text NOT NULL,
	`source_kind` text NOT NULL,
	`attested_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `upload_consents_by_account` ON `upload_consents` (`account`,`attested_at`);