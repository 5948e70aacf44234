# syntax=docker/dockerfile:1
# Two stages: the packages of the lock file, then a small image that runs as nobody in particular.
FROM oven/bun:1.4.5-debian AS packages
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
RUN bun install --frozen-lockfile --production --ignore-scripts

FROM oven/bun:1.4.5-slim
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json bunfig.toml ./
COPY drizzle ./drizzle
COPY proto ./proto
COPY src ./src
ENV FAIRLEAD_DATA_DIR=/data FAIRLEAD_SERVER_HOST=0.0.0.0
RUN mkdir /data && chown bun:bun /data
VOLUME /data
EXPOSE 3000
USER bun
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s \
  CMD ["bun", "-e", "process.exit((await fetch('http://127.0.0.1:3000/health')).ok ? 0 : 1)"]
ENTRYPOINT ["bun", "src/main.ts"]
CMD ["serve"]
