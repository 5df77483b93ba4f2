// Pulumi: a secret in a state or in a message is an object with this member, whatever else is in it.

export const SECRET_KEY = "4dabf18193072939515e22adb298388d";
export const SECRET_SIGNATURE = { [SECRET_KEY]: "1b47061264138c4ac30d75fd1eb44270" } as const;
