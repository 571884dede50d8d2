// Follows the lips through decoded frames with the landmark model, as a critical viewer would.
