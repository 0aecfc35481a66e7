# One image for every process; the command selects the process.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:24-slim
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/bin ./bin
COPY --from=build /app/dist ./dist
COPY --from=build /app/schema ./schema
COPY --from=build /app/gateway/pages/site ./gateway/pages/site
COPY --from=build /app/gateway/pages/guides ./gateway/pages/guides
# Holds the embedded database and the generated keys if DATABASE_URL and the keys are not set.
RUN install -d -o node -g node /data
ENV HOST=0.0.0.0 PORT=4000 DATA_DIR=/data DRAIN_SECONDS=5
USER node
EXPOSE 4000
# Runs everything in one process. Other commands: main gateway, main subgraph <name>, worker, operate <command>.
CMD ["bin/run", "main"]
