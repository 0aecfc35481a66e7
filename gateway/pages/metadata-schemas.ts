import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RequestHandler } from 'express'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'

const folder = join(projectRoot, 'schema/metadata')
let names: Promise<ReadonlySet<string>> | undefined

/**
 * `GET /docs/metadata/<kind>.schema.json`: the JSON Schema of a kind of file of the metadata format. Editors fetch what `$schema` of a file
 * names, without a credential and from other origins.
 */
export const metadataSchemaFile: RequestHandler = async (req, res, next) => {
  const { file } = req.params
  names ??= readdir(folder).then((found) => new Set(found))
  if (typeof file !== 'string' || !(await names).has(file)) return next()
  res.set({
    'Access-Control-Allow-Origin': '*',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'public, max-age=3600',
  })
  res.type('application/schema+json').send(await readFile(join(folder, file), 'utf8'))
}
