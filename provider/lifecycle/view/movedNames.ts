// The names that a run moves from one object to another, by what its view knows of the objects. Pure.

/** An object that has or gets a name. */
interface Named {
  readonly id: string;
  readonly kind: string;
  readonly label: string;
  /** Its names by the state. */
  readonly names: ReadonlySet<string>;
  /** The new name that the program gives it. */
  readonly renamed: string | undefined;
}

/** The objects of each name, by `keyOfName`. */
type Index = ReadonlyMap<string, Iterable<Named>>;

export interface MovedName {
  readonly name: string;
  readonly from: Pick<Named, "id" | "label">;
  readonly to: string;
}

const A_NEW_ONE = "a new one (EMPTY)";

export function keyOfName(kind: string, name: string): string {
  return `${kind} ${name}`;
}

/** From one object of the state to another, as far as the given one gets or gives a name. */
export function namesMoved(own: Named, index: Index, isToBeCreated: (name: string) => boolean): MovedName[] {
  const words = own.renamed === undefined ? own.names : [...own.names, own.renamed];
  const others = new Set([...words].flatMap((name) => [...(index.get(keyOfName(own.kind, name)) ?? [])]));
  others.delete(own);
  const move = (from: Named, to: Named): MovedName[] =>
    to.renamed !== undefined && from.names.has(to.renamed) ? [{ name: to.renamed, from, to: to.label }] : [];
  const toNew = [...(own.renamed === undefined ? [] : own.names)].filter(isToBeCreated);
  return [
    ...[...others].flatMap((other) => [...move(other, own), ...move(own, other)]),
    ...toNew.map((name) => ({ name, from: own, to: A_NEW_ONE })),
  ];
}

/** The same for a name that an object to be created gets. */
export function namesMovedToNew(kind: string, name: string, index: Index): MovedName[] {
  return [...(index.get(keyOfName(kind, name)) ?? [])]
    .filter(({ names, renamed }) => names.has(name) && renamed !== undefined)
    .map((from) => ({ name, from, to: A_NEW_ONE }));
}
