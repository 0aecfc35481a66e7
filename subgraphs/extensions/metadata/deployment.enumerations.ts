import { enumeration } from '../../kernel/record/column.ts'

export const MetadataFormat = enumeration('MetadataFormat', 'How files are returned.', {
  FILES: 'An object of paths and texts.',
  ZIP: 'A ZIP archive in base64.',
})
export type MetadataFormat = keyof typeof MetadataFormat

export const MetadataDeploymentStatus = enumeration('MetadataDeploymentStatus', 'How far a deployment has come.', {
  PENDING: 'It waits for its turn: an organization has one deployment at a time.',
  VALIDATING: 'Its files are read and compared with what the organization has.',
  TESTING: 'Tests of its functions run, before anything is changed.',
  DEPLOYING: 'Its changes are made, in one transaction.',
  SUCCEEDED: 'All its changes have been made; with `checkOnly`, they could be made.',
  FAILED: 'None of its changes has been made.',
  CANCELLED: 'It was cancelled, and none of its changes has been made.',
})
export type MetadataDeploymentStatus = keyof typeof MetadataDeploymentStatus

export const MetadataTestLevel = enumeration('MetadataTestLevel', 'Which tests of functions a deployment runs.', {
  NONE: 'It runs no tests.',
  SPECIFIED: 'Those that `tests` names.',
  ALL: 'All tests of the functions in the source.',
})
export type MetadataTestLevel = keyof typeof MetadataTestLevel

export const MetadataChange = enumeration('MetadataChange', 'What a deployment does with a component.', {
  CREATED: 'The organization did not have it.',
  UPDATED: 'The organization has another one.',
  UNCHANGED: 'The organization has it already.',
  DELETED: 'It is deleted.',
})
export type MetadataChange = keyof typeof MetadataChange
