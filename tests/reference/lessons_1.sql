PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE answers (person TEXT NOT NULL, lesson TEXT NOT NULL, step INTEGER NOT NULL, asked TEXT NOT NULL, given TEXT NOT NULL, correct INTEGER NOT NULL, at TEXT NOT NULL, gone TEXT NOT NULL DEFAULT '', PRIMARY KEY (person, lesson, step, asked, gone));
INSERT INTO "answers" VALUES('ann','belief',1,'abc','2',0,'2026-11-23T20:09:16.135537+00:00','');
CREATE TABLE visits (person TEXT NOT NULL, lesson TEXT NOT NULL, step INTEGER NOT NULL, at TEXT NOT NULL, gone TEXT NOT NULL DEFAULT '', PRIMARY KEY (person, lesson, step, gone));
INSERT INTO "visits" VALUES('ann','belief',2,'2026-11-23T20:09:16.183065+00:00','');
COMMIT;
