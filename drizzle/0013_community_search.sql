-- Indexes of community_member_names and of the members' roles, by the number of the row (see
-- src/operations/community/search.ts). The names come in lower case already. They merge nothing by themselves, since that
-- may take a second: whoever writes to them has a little merged each time (member-store.ts).
CREATE VIRTUAL TABLE `community_member_trigrams` USING fts5(`names`, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1');--> statement-breakpoint
CREATE VIRTUAL TABLE `community_member_roles` USING fts5(`roles`, content='', contentless_delete=1, detail=none, tokenize='ascii');--> statement-breakpoint
INSERT INTO `community_member_trigrams`(`community_member_trigrams`, rank) VALUES ('automerge', 0), ('deletemerge', 0), ('crisismerge', 1999);--> statement-breakpoint
INSERT INTO `community_member_roles`(`community_member_roles`, rank) VALUES ('automerge', 0), ('deletemerge', 0), ('crisismerge', 1999);
