import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { printedSchema } from './printed.ts'

const root = join(import.meta.dirname, '../../schema')
for (const [path, text] of await printedSchema()) {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}
