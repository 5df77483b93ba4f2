/** The scope that services and VPCs live in. */
export interface Project {
  /** The id of the project. */
  id: string;
  /** The name. */
  name: string;
}
