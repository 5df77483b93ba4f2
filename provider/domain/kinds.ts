// The kinds of resources. States name kinds, so a kind is never renamed.

export type Kind = "service" | "vpc" | "peering" | "readReplicaSet";
