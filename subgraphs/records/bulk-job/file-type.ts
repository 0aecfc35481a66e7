import type { StoredJob } from './stored-job.ts'

/** The name and the media type of a file that a job offers. */
export function fileType(
  { object, contentType }: Pick<StoredJob, 'object' | 'contentType'>,
  kind: string,
): { readonly name: string; readonly mediaType: string } {
  const isCsv = contentType === 'CSV'
  return {
    name: `${object.replace(':', '-')}-${kind}.${isCsv ? 'csv' : 'ndjson'}`,
    mediaType: isCsv ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
  }
}
