import { createServer, type RequestListener } from 'node:http'
import type { Config } from '../config/config.ts'
import { listenOn } from '../network/listen-on.ts'
import type { ProcessMetrics } from './process-metrics.ts'
import { live, readyOrNot, type HealthAnswer, type Readiness } from './readiness.ts'

export interface PrivateServer {
  /** Null without METRICS_PORT. */
  readonly url: string | null
  close(): Promise<void>
}

/** Serves metrics and health checks on METRICS_PORT, for operators only; nothing without it. */
export async function startPrivateServer(
  { host, metricsPort }: Pick<Config, 'host' | 'metricsPort'>,
  metrics: Pick<ProcessMetrics, 'text' | 'contentType'>,
  readiness: Readiness,
): Promise<PrivateServer> {
  if (metricsPort === null) return { url: null, close: async () => {} }
  const server = createServer(listener(metrics, readiness))
  const { address, family, port } = await listenOn(server, { host, port: metricsPort }, 'HOST, METRICS_PORT')
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly text: string
}

const json = ({ status, body }: HealthAnswer): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  text: JSON.stringify(body),
})

const plain = (status: number, text: string): Answer => ({ status, type: 'text/plain; charset=utf-8', text })

function listener(metrics: Pick<ProcessMetrics, 'text' | 'contentType'>, readiness: Readiness): RequestListener {
  const answerTo = async (path: string | undefined): Promise<Answer> => {
    switch (path) {
      case '/metrics':
        return { status: 200, type: metrics.contentType, text: await metrics.text() }
      case '/health/live':
        return json(live)
      case '/health/ready':
        return json(await readyOrNot(readiness))
      default:
        return plain(404, 'The path must be /metrics, /health/live or /health/ready.\n')
    }
  }
  return (req, res) => {
    const answer = answerTo(req.url?.split('?')[0])
    void answer
      .catch((error: unknown) => plain(500, `${(error as Error).message}\n`))
      .then(({ status, type, text }) => res.writeHead(status, { 'Content-Type': type }).end(text))
  }
}
