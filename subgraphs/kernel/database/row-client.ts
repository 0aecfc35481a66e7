import pg from 'pg'
import { Parser } from 'pg-protocol/dist/parser.js'
import { largeFrom, ownEventLoopTurn } from '../turn.ts'
import { rowTexts } from './row-texts.ts'

interface Message {
  readonly name: string
}

/** What reads the messages of PostgreSQL, with the step that tells them apart. */
interface Reader {
  handlePacket(offset: number, code: number, length: number, bytes: Buffer): Message
  parse(bytes: Buffer, told: (message: Message) => void): void
}

interface Connection {
  rowBytesMax: number | undefined
  attachListeners(stream: NodeJS.ReadableStream): void
  emit(event: string, message: Message): void
}

const dataRow = 0x44
const lengthBytes = 4

/** pg's reader, but for rows, whose texts it decodes one by one. */
function rowReader(): Reader {
  const reader = new Parser() as unknown as Reader
  const other = reader.handlePacket.bind(reader)
  reader.handlePacket = (offset, code, length, bytes) => {
    if (code !== dataRow) return other(offset, code, length, bytes)
    return { name: 'dataRow', length, fields: rowTexts(bytes, offset, offset + length - lengthBytes) } as Message
  }
  return reader
}

/** pg's client with another reader of rows. */
export class RowClient extends pg.Client {
  constructor(config: pg.ClientConfig & { readonly rowBytesMax?: number } = {}) {
    super(config)
    const { connection } = this as unknown as { connection: Connection }
    connection.rowBytesMax = config.rowBytesMax
    connection.attachListeners = (stream) => {
      const reader = rowReader()
      const tell = (message: Message): void => {
        connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message)
      }
      let inTurn = 0
      stream.on('data', (bytes: Buffer) => {
        reader.parse(bytes, tell)
        inTurn += bytes.length
        if (inTurn < largeFrom) return
        // Much at once is read in turns with what arrives for others.
        inTurn = 0
        stream.pause()
        void ownEventLoopTurn().then(() => stream.resume())
      })
    }
  }
}
