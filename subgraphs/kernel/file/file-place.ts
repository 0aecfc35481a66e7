import { join } from 'node:path'
import { isId } from '../ids.ts'

export const filesFolder = 'files'

/** The folder of an organization's files. */
export const folderOf = (dataDir: string, organizationId: string): string =>
  join(dataDir, filesFolder, required(organizationId))

/** The path of a file. Its parts are ids that the platform made, never text of a client. */
export const pathOf = (dataDir: string, organizationId: string, id: string): string =>
  join(folderOf(dataDir, organizationId), required(id))

/** The key of a file in a bucket. */
export const keyOf = (organizationId: string, id: string): string =>
  `${filesFolder}/${required(organizationId)}/${required(id)}`

/** Files that wait on the disk of a process until they are complete and sent to a bucket. */
export const spoolFolder = 'files.spool'

/** A file that is being written has this suffix. */
export const partialSuffix = '.partial'

function required(id: string): string {
  if (!isId(id)) throw new Error('The name of a file must be an id.')
  return id.toLowerCase()
}
