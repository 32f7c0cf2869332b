-- Tables of revision 0001 with two people's labels; the guidelines were changed between them.
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE events (
	number INTEGER NOT NULL, 
	project TEXT NOT NULL, 
	item TEXT NOT NULL, 
	annotator TEXT NOT NULL, 
	action TEXT NOT NULL, 
	verb TEXT NOT NULL, 
	"of" TEXT NOT NULL, 
	before_json TEXT NOT NULL, 
	after_json TEXT NOT NULL, 
	at TEXT NOT NULL, 
	undone BOOLEAN NOT NULL, 
	PRIMARY KEY (number), 
	CONSTRAINT events_once UNIQUE (item, annotator, action), 
	FOREIGN KEY(project) REFERENCES projects (id), 
	FOREIGN KEY(item) REFERENCES items (id)
);
INSERT INTO "events" VALUES(1,'oldproject','35b549ad8612610c9da1','Ada','a1','set','','{"item":"35b549ad8612610c9da1","annotator":"Ada","values":[],"state":"untouched","note":"","seconds":0.0,"action":"","version":0,"updated_at":""}','{"item":"35b549ad8612610c9da1","annotator":"Ada","values":[["timing","delayed"],["first_wrong",4],["without","useful"],["gain","redundant"]],"state":"submitted","note":"=HYPERLINK(\"http://x\")\n\"quoted\", ''single'' and é  end","seconds":0.30000000000000004,"action":"a1","version":1,"updated_at":"2026-11-22T11:12:14.704126+00:00"}','2026-11-22T11:12:14.704126+00:00',0);
INSERT INTO "events" VALUES(2,'oldproject','14bbf65844039756f91f','Ada','a2','set','','{"item":"14bbf65844039756f91f","annotator":"Ada","values":[],"state":"untouched","note":"","seconds":0.0,"action":"","version":0,"updated_at":""}','{"item":"14bbf65844039756f91f","annotator":"Ada","values":[["timing","timely"]],"state":"draft","note":"","seconds":1.0,"action":"a2","version":1,"updated_at":"2026-11-22T11:12:14.706866+00:00"}','2026-11-22T11:12:14.706866+00:00',0);
INSERT INTO "events" VALUES(3,'oldproject','00e7d5f88488d75fdf8d','Ada','a3','set','','{"item":"00e7d5f88488d75fdf8d","annotator":"Ada","values":[],"state":"untouched","note":"","seconds":0.0,"action":"","version":0,"updated_at":""}','{"item":"00e7d5f88488d75fdf8d","annotator":"Ada","values":[["correct","right"]],"state":"submitted","note":"","seconds":2.0,"action":"a3","version":1,"updated_at":"2026-11-22T11:12:14.707971+00:00"}','2026-11-22T11:12:14.707971+00:00',1);
INSERT INTO "events" VALUES(4,'oldproject','00e7d5f88488d75fdf8d','Ada','a4','undo','a3','{"item":"00e7d5f88488d75fdf8d","annotator":"Ada","values":[["correct","right"]],"state":"submitted","note":"","seconds":2.0,"action":"a3","version":1,"updated_at":"2026-11-22T11:12:14.707971+00:00"}','{"item":"00e7d5f88488d75fdf8d","annotator":"Ada","values":[],"state":"untouched","note":"","seconds":2.0,"action":"a4","version":2,"updated_at":"2026-11-22T11:12:14.709220+00:00"}','2026-11-22T11:12:14.709220+00:00',0);
INSERT INTO "events" VALUES(5,'oldproject','35b549ad8612610c9da1','=Ben','b1','set','','{"item":"35b549ad8612610c9da1","annotator":"=Ben","values":[],"state":"untouched","note":"","seconds":0.0,"action":"","version":0,"updated_at":""}','{"item":"35b549ad8612610c9da1","annotator":"=Ben","values":[["timing","timely"],["without","useful"],["gain","useful"]],"state":"submitted","note":"''apostrophe","seconds":0.0,"action":"b1","version":1,"updated_at":"2026-11-22T11:12:14.725449+00:00"}','2026-11-22T11:12:14.725449+00:00',0);
INSERT INTO "events" VALUES(6,'oldproject','00e7d5f88488d75fdf8d','=Ben','b2','set','','{"item":"00e7d5f88488d75fdf8d","annotator":"=Ben","values":[],"state":"untouched","note":"","seconds":0.0,"action":"","version":0,"updated_at":""}','{"item":"00e7d5f88488d75fdf8d","annotator":"=Ben","values":[],"state":"discarded","note":"Cannot tell.","seconds":0.0,"action":"b2","version":1,"updated_at":"2026-11-22T11:12:14.726485+00:00"}','2026-11-22T11:12:14.726485+00:00',0);
CREATE TABLE guidelines (
	project TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	at TEXT NOT NULL, 
	PRIMARY KEY (project, version), 
	FOREIGN KEY(project) REFERENCES projects (id)
);
INSERT INTO "guidelines" VALUES('oldproject',1,'Read the question, the right answer and the evidence first. Label what stands there, not what you would have written.

Timing of a retrieval. *Delayed*: a wrong token stands in the answer before this retrieval; mark the first wrong one.
*Timely*: everything before it is right, or nothing stands before it. A wrong token is one that makes a statement false:
a wrong name, number, date or relation. Odd style is not wrong. A trigger is a place where a policy would have looked
something up in the answer from memory; label its timing in the same way.

Right without it. *Redundant*: the answer without any retrieval is right. *Useful*: it is not.

Gain from it. *Redundant*: with this retrieval the answer is no better than before it. *Useful*: it is better.

A whole answer. *Missing*: the answer is wrong and nothing was looked up. *Not missing*: it is right, or something was.

Chunks. *Certain*: another wording of the passage leaves the answer as it is. *Necessary*: the answer needs it.
*Unnecessary*: the answer wavers with its wording, and is as good without it.

Entailment. Given the question, does the first answer say what the second says (entailment), deny it (contradiction), or
neither (neutral)?

Correctness. *Right*: the answer means the same as the right answer, in whatever words. Else *wrong*.

Where you cannot tell, discard the item and say why in the note.
','2026-11-22T11:12:14.670624+00:00');
INSERT INTO "guidelines" VALUES('oldproject',2,'Look twice.','2026-11-22T11:12:14.717871+00:00');
CREATE TABLE items (
	id TEXT NOT NULL, 
	project TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	run_id TEXT NOT NULL, 
	run_hash TEXT NOT NULL, 
	source TEXT NOT NULL, 
	policy TEXT NOT NULL, 
	place INTEGER NOT NULL, 
	token INTEGER, 
	markable INTEGER NOT NULL, 
	searchable TEXT NOT NULL, 
	view_json TEXT NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT items_in_order UNIQUE (project, number), 
	FOREIGN KEY(project) REFERENCES projects (id)
);
INSERT INTO "items" VALUES('00e7d5f88488d75fdf8d','oldproject',3,'correctness','run-a','run-arun-arun-arun-arun-arun-arun-arun-a','answer','',0,NULL,0,'when did the tower open?
=1889','{"question":"When did the tower open?","golds":["1889"],"text":"=1889","tokens":[],"marks":[],"other":"","without":"","found":[],"evidence":[],"stairs":[]}');
INSERT INTO "items" VALUES('14bbf65844039756f91f','oldproject',2,'retrieval','run-a','run-arun-arun-arun-arun-arun-arun-arun-a','run','flare',1,5,5,'when did the tower open?
the tower opened in 1887. so the answer is 1887.','{"question":"When did the tower open?","golds":["1889"],"text":"The tower opened in 1887. So the answer is 1887.","tokens":[{"text":"The","start":0,"end":3},{"text":" tower","start":3,"end":9},{"text":" opened","start":9,"end":16},{"text":" in","start":16,"end":19},{"text":" 1887.","start":19,"end":25},{"text":" So","start":25,"end":28},{"text":" the","start":28,"end":32},{"text":" answer","start":32,"end":39},{"text":" is","start":39,"end":42},{"text":" 1887.","start":42,"end":48}],"marks":[{"policy":"flare","token":5,"character":25,"query":"tower opened","here":true}],"other":"","without":"1887","found":[],"evidence":[],"stairs":[]}');
INSERT INTO "items" VALUES('35b549ad8612610c9da1','oldproject',1,'retrieval','run-a','run-arun-arun-arun-arun-arun-arun-arun-a','run','dragin',0,5,5,'when did the tower open?
the tower opened in 1887. so the answer is 1887.','{"question":"When did the tower open?","golds":["1889"],"text":"The tower opened in 1887. So the answer is 1887.","tokens":[{"text":"The","start":0,"end":3},{"text":" tower","start":3,"end":9},{"text":" opened","start":9,"end":16},{"text":" in","start":16,"end":19},{"text":" 1887.","start":19,"end":25},{"text":" So","start":25,"end":28},{"text":" the","start":28,"end":32},{"text":" answer","start":32,"end":39},{"text":" is","start":39,"end":42},{"text":" 1887.","start":42,"end":48}],"marks":[{"policy":"dragin","token":5,"character":25,"query":"tower opened","here":true}],"other":"","without":"1887","found":[],"evidence":[],"stairs":[]}');
CREATE TABLE labels (
	item TEXT NOT NULL, 
	annotator TEXT NOT NULL, 
	values_json TEXT NOT NULL, 
	state TEXT NOT NULL, 
	note TEXT NOT NULL, 
	seconds FLOAT NOT NULL, 
	action TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	updated_at TEXT NOT NULL, 
	PRIMARY KEY (item, annotator), 
	FOREIGN KEY(item) REFERENCES items (id)
);
INSERT INTO "labels" VALUES('00e7d5f88488d75fdf8d','=Ben','[]','discarded','Cannot tell.',0.0,'b2',1,'2026-11-22T11:12:14.726485+00:00');
INSERT INTO "labels" VALUES('00e7d5f88488d75fdf8d','Ada','[]','untouched','',2.0,'a4',2,'2026-11-22T11:12:14.709220+00:00');
INSERT INTO "labels" VALUES('14bbf65844039756f91f','Ada','[["timing","timely"]]','draft','',1.0,'a2',1,'2026-11-22T11:12:14.706866+00:00');
INSERT INTO "labels" VALUES('35b549ad8612610c9da1','=Ben','[["timing","timely"],["without","useful"],["gain","useful"]]','submitted','''apostrophe',0.0,'b1',1,'2026-11-22T11:12:14.725449+00:00');
INSERT INTO "labels" VALUES('35b549ad8612610c9da1','Ada','[["timing","delayed"],["first_wrong",4],["without","useful"],["gain","redundant"]]','submitted','=HYPERLINK("http://x")
"quoted", ''single'' and é  end',3.00000000000000044408e-01,'a1',1,'2026-11-22T11:12:14.704126+00:00');
CREATE TABLE projects (
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	overlap INTEGER NOT NULL, 
	blind BOOLEAN NOT NULL, 
	created_at TEXT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
INSERT INTO "projects" VALUES('oldproject','Timing',3,0,'2026-11-22T11:12:14.670624+00:00');
CREATE INDEX events_of_person ON events (project, annotator, number);
COMMIT;
