-- What an application may do is a role without a password; who may log in is said by the program.
CREATE ROLE orders_writer NOLOGIN;
GRANT SELECT, INSERT ON orders TO orders_writer;
