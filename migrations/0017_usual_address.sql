-- Phone side: the radio address at which the box was found without another box that has its key; empty if it is not known.
ALTER TABLE phone_boxes ADD COLUMN usual_address BLOB NOT NULL DEFAULT x'' CHECK (length(usual_address) <= 256);
