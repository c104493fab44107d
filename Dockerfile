# The explorer and its API: docker build -t inarow . && docker run --rm -p 8000:8000 inarow
# Browsers that reach it by another name than localhost need it named: docker run … inarow serve --host 0.0.0.0 --allowed-host play.example.org
FROM python:3.12-slim-bookworm AS build
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN python -m venv /inarow && /inarow/bin/pip install --no-cache-dir .

FROM python:3.12-slim-bookworm
COPY --from=build /inarow /inarow
RUN useradd --create-home --uid 1000 inarow
USER 1000
WORKDIR /home/inarow
ENV PATH=/inarow/bin:$PATH
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/api/health', timeout=4)"]
ENTRYPOINT ["inarow"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
