import type { MessageStructureObject } from 'imapflow'

/** A part of a mail that is a file. */
export interface FilePart {
  /** Its number at the server, such as `2.1`. */
  readonly part: string
  readonly name: string
  readonly contentType: string
  /** Bytes as they are encoded in the mail. */
  readonly encodedBytes: number
  /** Bytes of the file, estimated from its encoding. */
  readonly bytes: number
}

/** The structure is hostile input: more nodes are not looked at. */
const nodesMax = 2_000

const isReport = (type: string): boolean =>
  ['message/delivery-status', 'message/disposition-notification', 'text/rfc822-headers'].includes(type)

const nameOf = ({ dispositionParameters, parameters }: MessageStructureObject): string =>
  dispositionParameters?.['filename'] ?? parameters?.['name'] ?? ''

/** The texts of a mail are no files, unless they are sent as such. */
function isFile(node: MessageStructureObject): boolean {
  if (isReport(node.type)) return false
  return !['text/plain', 'text/html'].includes(node.type) || node.disposition === 'attachment' || nameOf(node) !== ''
}

/** Base64 has four characters for three bytes, and a line end for 76 characters. */
const decodedBytes = (encoding: string | undefined, bytes: number): number =>
  encoding === 'base64' ? Math.floor((bytes * 76 * 3) / (78 * 4)) : bytes

/** The first files of a mail, in their order in it. A mail inside of it is one file. */
export function filePartsOf(structure: MessageStructureObject, partsMax: number): FilePart[] {
  const found: FilePart[] = []
  const waiting = [structure]
  for (let nodes = 0; nodes < nodesMax && found.length < partsMax; nodes++) {
    const node = waiting.pop()
    if (!node) break
    if (node.childNodes && node.type.startsWith('multipart/')) {
      waiting.push(...node.childNodes.slice(0, nodesMax).toReversed())
    } else if (isFile(node)) {
      const { part = '1', type: contentType, encoding, size: encodedBytes = 0 } = node
      const name = nameOf(node)
      found.push({ part, name, contentType, encodedBytes, bytes: decodedBytes(encoding, encodedBytes) })
    }
  }
  return found
}
