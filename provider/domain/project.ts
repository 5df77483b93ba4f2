// A project: the scope that services and VPCs live in.

export interface Project {
  id: string;
  name: string;
}
